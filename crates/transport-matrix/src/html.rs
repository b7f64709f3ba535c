//! HTML with the few tags that Matrix clients show. Text is always escaped.

use chat::clean;

/// A piece of HTML, made of text and the tags in the specification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Html(String);

impl Html {
    /// Adds text as it is shown.
    pub fn text(&mut self, text: &str) {
        self.0.push_str(&chat::html(&quiet(&clean(text))));
    }

    /// Adds an element with the content that `inner` adds.
    pub fn element(&mut self, tag: &'static str, inner: impl FnOnce(&mut Self)) {
        self.0.extend(["<", tag, ">"]);
        inner(self);
        // The tag's name is followed by attributes.
        self.0.extend(["</", tag.split(' ').next().unwrap_or(tag), ">"]);
    }

    /// Adds a line break.
    pub fn line_break(&mut self) {
        self.0.push_str("<br>");
    }

    /// Adds several lines of text with their spacing.
    pub fn preformatted(&mut self, lines: &str) {
        self.element("pre", |html| {
            html.element("code", |html| {
                for (number, line) in lines.lines().enumerate() {
                    if number > 0 {
                        html.0.push('\n');
                    }
                    html.text(line);
                }
            });
        });
    }

    /// The HTML.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Changes `text` so that it notifies nobody: old clients take `@room` anywhere as a call to everybody.
pub(crate) fn quiet(text: &str) -> String {
    text.replace("@room", "@\u{2060}room")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_a_tag_or_a_call() {
        let mut html = Html::default();
        html.element("strong", |html| html.text("<b>1 & \"2\"</b>\n@room"));
        let expected = "<strong>&lt;b&gt;1 &amp; &quot;2&quot;&lt;/b&gt; @\u{2060}room</strong>";
        assert_eq!(html.into_string(), expected);
    }

    #[test]
    fn attributes_are_not_repeated_at_the_end() {
        let mut html = Html::default();
        html.element("span data-mx-spoiler", |html| html.text("x"));
        html.preformatted("a\n  ^");
        assert_eq!(html.into_string(), "<span data-mx-spoiler>x</span><pre><code>a\n  ^</code></pre>");
    }
}
