"""Somebody on a homeserver whose client is matrix-nio: orders come in as lines of JSON, what happens goes out as such."""

import asyncio
import json
import sys

from nio import (AsyncClient, AsyncClientConfig, InviteMemberEvent, MegolmEvent, RoomMessage, SyncResponse, ToDeviceError)


def tell(**what):
    print(json.dumps(what), flush=True)


class Foreigner:
    def __init__(self, url, user, store):
        config = AsyncClientConfig(store_sync_tokens=False, encryption_enabled=True)
        self.client = AsyncClient(url, user, store_path=store, config=config)
        self.client.add_event_callback(self.heard, RoomMessage)
        self.client.add_event_callback(self.unread, MegolmEvent)
        self.client.add_event_callback(self.invited, InviteMemberEvent)

    async def heard(self, room, event):
        tell(event=event.event_id, room=room.room_id, sender=event.sender, content=event.source["content"],
             encrypted=event.decrypted)

    async def unread(self, room, event):
        tell(unread=event.event_id, room=room.room_id)

    async def invited(self, room, event):
        if event.state_key == self.client.user_id:
            await self.client.join(room.room_id)

    async def sync(self):
        while True:
            response = await self.client.sync(timeout=5000)
            if not isinstance(response, SyncResponse):
                await asyncio.sleep(0.2)
                continue
            if self.client.should_upload_keys:
                await self.client.keys_upload()
            if self.client.should_query_keys:
                await self.client.keys_query()

    def trust_all(self, room):
        for user in self.client.rooms[room].users:
            for device in self.client.device_store.active_user_devices(user):
                if not self.client.olm.is_device_verified(device):
                    self.client.verify_device(device)

    async def meet(self, room, user):
        while user not in self.client.rooms[room].users or not list(self.client.device_store.active_user_devices(user)):
            await asyncio.sleep(0.05)
        tell(met=user)

    async def say(self, room, text):
        self.trust_all(room)
        content = {"msgtype": "m.text", "body": text}
        sent = await self.client.room_send(room, "m.room.message", content, ignore_unverified_devices=True)
        tell(sent=sent.event_id)

    async def say_without_key(self, room, text):
        """Says something encrypted, and gives nobody the key yet."""
        olm = self.client.olm
        olm.create_outbound_group_session(room)
        session = olm.outbound_group_sessions[room]
        # A key opens what is said from its own moment on: this is the one from before.
        before = session.pickle()
        session.shared = True
        message = {"type": "m.room.message", "content": {"msgtype": "m.text", "body": text}, "room_id": room}
        content = olm.group_encrypt(room, message)
        olm.outbound_group_sessions[room] = type(session).from_pickle(before)
        tell(sent=await self.put(room, "m.room.encrypted", content))

    async def say_relating_in_secret(self, room, content):
        """Says something whose relation stands inside the ciphertext alone."""
        olm = self.client.olm
        self.trust_all(room)
        if olm.should_share_group_session(room):
            await self.client.share_group_session(room, ignore_unverified_devices=True)
        message = {"type": "m.room.message", "content": content, "room_id": room}
        encrypted = olm.group_encrypt(room, message)
        encrypted.pop("m.relates_to", None)
        tell(sent=await self.put(room, "m.room.encrypted", encrypted))

    async def put(self, room, kind, content):
        """Sends an event as it is; its id."""
        from nio.api import Api
        self.sent = getattr(self, "sent", 0) + 1
        url = Api._build_path(["rooms", room, "send", kind, f"as-it-is-{self.sent}"])
        headers = {"Authorization": f"Bearer {self.client.access_token}", "Content-Type": "application/json"}
        answer = await self.client.send("PUT", url, json.dumps(content), headers)
        return (await answer.json())["event_id"]

    async def share_key(self, room):
        self.trust_all(room)
        shared = await self.client.share_group_session(room, ignore_unverified_devices=True)
        tell(shared=not isinstance(shared, ToDeviceError))

    async def run(self, password):
        login = await self.client.login(password, device_name="foreign")
        await self.client.sync(timeout=0, full_state=True)
        if self.client.should_upload_keys:
            await self.client.keys_upload()
        tell(ready=login.user_id)
        syncing = asyncio.create_task(self.sync())
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            order = json.loads(line)
            if "join" in order:
                await self.client.join(order["join"])
                while order["join"] not in self.client.rooms or not self.client.rooms[order["join"]].members_synced:
                    await self.client.joined_members(order["join"])
                    await asyncio.sleep(0.05)
                tell(joined=order["join"])
            else:
                act = getattr(self, order.pop("do"))
                await act(**order)
        syncing.cancel()
        await self.client.close()


url, user, password, store = sys.argv[1:]
asyncio.run(Foreigner(url, user, store).run(password))
