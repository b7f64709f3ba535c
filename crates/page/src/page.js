"use strict";
(() => {
  const body = document.body, path = body.dataset.live;
  const live = document.querySelector(".live"), how = document.querySelector(".how");
  const log = document.querySelector("[role=log]"), held = document.querySelector(".held"), list = document.querySelector(".entries");
  const aloud = document.querySelector(".aloud");
  let state = body.dataset.state, source, lost, wait = 1000, again, waiting = [], cut = false;

  // Times in words, as of now.
  const words = (date) => {
    const minutes = Math.round((Date.now() - date) / 60000);
    if (minutes < 0) return date.toLocaleString([], { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
    if (minutes < 1) return "just now";
    if (minutes < 60) return minutes + " min ago";
    if (minutes < 1440) return Math.floor(minutes / 60) + " h ago";
    const days = Math.floor(minutes / 1440);
    return days < 2 ? "1 day ago" : days + " days ago";
  };
  const times = (root) => {
    for (const time of root.querySelectorAll("time")) {
      const date = new Date(time.dateTime);
      time.textContent = words(date);
      time.title = date.toLocaleString();
    }
  };
  const title = () => {
    document.title = (document.querySelector(".waits .me") ? "● " : "") + document.querySelector("h1").textContent;
  };

  // Parts of the page of a table, as they are sent.
  const made = (html) => {
    const box = document.createElement("template");
    box.innerHTML = html;
    times(box.content);
    return box.content.firstElementChild;
  };
  const number = (element) => Number(element.id.slice(1));
  const scrolled = () => list.getBoundingClientRect().top < 0;
  const newest = () => Math.max(0, ...[...(cut ? [] : list.children), ...waiting].map(number));
  // The most entries on the page; older ones are on pages of their own.
  const most = 200;
  const insert = (element) => {
    // Entries were missed in between: the list begins anew.
    if (cut) list.replaceChildren();
    cut = false;
    const after = [...list.children].find((other) => number(other) < number(element));
    element.classList.add("new");
    list.insertBefore(element, after || null);
    while (list.children.length > most) list.lastElementChild.remove();
    if (aloud.querySelector("input").checked) {
      const says = [element.querySelector(".head span"), element.querySelector("p.result")];
      log.textContent = says.filter((each) => each).map((each) => each.textContent).join(": ");
    }
  };
  const show = () => {
    waiting.forEach(insert);
    waiting = [];
    held.hidden = true;
  };
  const put = ({ id, html }) => {
    const element = made(html), old = document.getElementById(id);
    if (old) {
      for (const details of old.querySelectorAll("details[open]")) {
        const same = element.querySelector("#" + CSS.escape(details.id));
        if (same) same.open = true;
      }
      const focused = old.contains(document.activeElement) && document.activeElement.id;
      old.replaceWith(element);
      if (focused) document.getElementById(focused)?.focus();
    } else if (element.matches(".entry")) {
      const last = list.lastElementChild;
      // What is older than all that is shown stays on its own page.
      if (!cut && last && number(element) < number(last)) return;
      const place = waiting.findIndex((other) => other.id === id);
      if (place >= 0) waiting[place] = element;
      else if (scrolled()) {
        waiting.push(element);
        // Of very many the newest are kept, and nothing older then.
        if (waiting.length > most) cut = !!waiting.shift();
      }
      else insert(element);
      if (waiting.length) {
        held.firstElementChild.textContent = waiting.length + " new";
        held.hidden = false;
      }
    }
  };

  // A page of one entry, or of old ones, is asked for once more when something changed: it may have been erased.
  let asked;
  const refresh = () => {
    asked = asked || setTimeout(async () => {
      asked = undefined;
      const answer = await fetch(location.href, { cache: "no-store" }).catch(() => undefined);
      if (!answer?.ok) return answer?.status === 404 && location.reload();
      const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
      times(next);
      document.querySelector("main").replaceWith(next);
    }, Number(body.dataset.still));
  };

  // The connection, in words.
  const says = (kind, text) => {
    if (!live) return;
    live.className = "live " + kind;
    if (how.textContent !== text) how.textContent = text;
  };
  const close = () => {
    clearTimeout(again);
    if (source) source.close();
    source = undefined;
  };
  const retry = async () => {
    close();
    lost = lost || new Date();
    says("lost", "not connected since " + lost.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }));
    let pause = wait;
    wait = Math.min(wait * 2, 60000);
    try {
      // An `EventSource` does not say why it failed.
      const answer = await fetch(path, { method: "HEAD", cache: "no-store" });
      if (answer.status === 404) {
        says("lost", "this link has ended");
        return location.reload();
      }
      if (answer.status === 429 || answer.status === 503) pause = 1000 * (Number(answer.headers.get("Retry-After")) || 30);
    } catch { /* There is no network; it is tried again. */ }
    if (!source) again = setTimeout(open, pause * (0.5 + Math.random()));
  };
  const open = () => {
    close();
    source = new EventSource(path + "?after=" + encodeURIComponent(state));
    source.onmessage = (event) => {
      const { version, from, parts } = JSON.parse(event.data);
      if (version !== body.dataset.version) return location.reload();
      if (live && from > newest()) {
        cut = list.children.length > 0;
        waiting = [];
      }
      if (live) parts.forEach(put);
      else if (state !== event.lastEventId) refresh();
      title();
      state = event.lastEventId;
      lost = undefined;
      wait = 1000;
      says("on", "live");
    };
    source.onerror = retry;
  };
  let hidden;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hidden);
    if (document.hidden) hidden = setTimeout(close, 60000);
    else if (!source) open();
  });
  addEventListener("online", () => { if (lost) open(); });
  if (live) {
    aloud.hidden = false;
    held.firstElementChild.addEventListener("click", () => {
      show();
      document.getElementById("journal").scrollIntoView();
    });
    addEventListener("scroll", () => { if (waiting.length && !scrolled()) show(); }, { passive: true });
  }
  times(document);
  title();
  setInterval(() => times(document), 60000);
  open();
})();
