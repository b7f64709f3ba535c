//! A browser with a page open, driven as a reader would use it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A headless Chromium with the page open, driven through chromedriver (W3C WebDriver).
pub struct Browser {
    driver: Child,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Opens the file.
    pub fn open(page: &Path) -> Self {
        Browser::at(&format!("file://{}", page.display()))
    }

    /// Opens the page with this address.
    pub fn at(address: &str) -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("tests/run installs chromedriver");
        let stdout = BufReader::new(driver.stdout.take().expect("it was piped"));
        let started = stdout.lines().map_while(Result::ok).find(|line| line.contains("started successfully on port"));
        let started = started.expect("the driver says on which port it listens");
        let port = started.trim_end_matches('.').rsplit(' ').next().expect("a word").to_owned();
        let profile = tempfile::tempdir().expect("a directory");
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            &format!("--user-data-dir={}", profile.path().display()),
        ];
        let wanted = json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}});
        let root = format!("http://127.0.0.1:{port}/session");
        let answer = post(&root, &wanted);
        let id = answer["sessionId"].as_str().unwrap_or_else(|| panic!("no browser: {answer}"));
        let browser = Browser { driver, session: format!("{root}/{id}"), _profile: profile };
        browser.ask("url", &json!({"url": address}));
        browser
    }

    /// Sends the driver a command.
    pub fn ask(&self, what: &str, body: &Value) -> Value {
        post(&format!("{}/{what}", self.session), body)
    }

    /// Runs a script in the page with an argument and returns its result.
    pub fn script(&self, script: &str, argument: &Value) -> Value {
        self.ask("execute/sync", &json!({"script": script, "args": [argument]}))
    }

    /// Chooses the file as a reader would. Returns the verdict and whether the export holds.
    pub fn verify(&self, file: &Path) -> (String, bool) {
        self.verify_parts(&[file])
    }

    /// The same with the parts of a file, in any order.
    pub fn verify_parts(&self, files: &[&Path]) -> (String, bool) {
        let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        self.script("by('verdict').removeAttribute('data-holds'); by('file').value = '';", &Value::Null);
        let found = self.ask("element", &json!({"using": "css selector", "value": "#file"}));
        let element = found.as_object().and_then(|found| found.values().next()).and_then(Value::as_str);
        let element = element.unwrap_or_else(|| panic!("no place for the file: {found}"));
        self.ask(&format!("element/{element}/value"), &json!({"text": files.join("\n")}));
        // The driver answers once the page has reached its verdict.
        let wait = "const done = arguments[1], verdict = by('verdict');
            const tell = () => verdict.dataset.holds && done([verdict.textContent, verdict.dataset.holds]);
            new MutationObserver(tell).observe(verdict, { attributes: true });
            tell();";
        let shown = self.ask("execute/async", &json!({"script": wait, "args": [null]}));
        let text =
            |at: usize| shown[at].as_str().unwrap_or_else(|| panic!("the page says nothing: {shown}")).to_owned();
        (text(0), text(1) == "yes")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ending the session also ends the browser.
        let _ = ureq::delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn post(url: &str, body: &Value) -> Value {
    let answer = ureq::post(url).config().http_status_as_error(false).build().send_json(body);
    let mut answer = answer.expect("the driver answers");
    let answer: Value = answer.body_mut().read_json().expect("the driver speaks JSON");
    answer["value"].clone()
}
