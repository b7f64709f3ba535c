//! What the derive makes of an enum, shown by what players type.

use plugin_api::{Arguments, Choice, Commands, DiceWord, FollowUp, Forms, Name, Number, Role, Text, Words};

#[derive(Debug, PartialEq, Commands)]
enum Play {
    /// Roll against a difficulty. More about it
    /// here.
    ///
    /// A second paragraph.
    #[command(rolls, alias = "c", main, example = "check 7 +4 -1 vs 15")]
    Check {
        /// The skill's value.
        skill: i32,
        #[signed]
        ranks: Vec<i32>,
        #[word("vs", "dc")]
        difficulty: Option<i64>,
        #[flag("fortune")]
        fortune: bool,
        #[flag("favored", "favoured")]
        favored: Option<Favored>,
        dice: Vec<DiceWord>,
    },
    /// Choose.
    #[command(changes, follow_up, example = "crit impact")]
    Crit { what: What },
    /// Show or change.
    #[command(shows, alias = "insp", example = "inspiration Ann +1")]
    Inspiration {
        who: Option<Name>,
        #[signed]
        change: Option<i32>,
    },
    /// Say something.
    #[command(changes, referee, example = "say hello there")]
    Say { text: Text },
    /// Two sides at once.
    #[command(changes, example = "oppose 5 +1 vs foe 4 -2")]
    Oppose {
        #[flag("attack")]
        attack: bool,
        #[group]
        own: Side,
        #[side("vs", "against")]
        other: Option<Other>,
    },
    /// Hit somebody.
    #[command(changes, example = "hit 7 vs 12 on Bob")]
    Hit {
        #[word("damage")]
        #[bare]
        damage: Option<i64>,
        #[word("vs", "against")]
        #[bare]
        toughness: Option<i64>,
        #[word("on")]
        #[bare]
        character: Option<Name>,
    },
    /// Show the label of a number, or write one.
    #[command(shows, example = "label soft next", example = "label soft 3 as typed")]
    Label { table: Table, what: Option<Label> },
    /// Switch something.
    #[command(changes, example = "switch on it")]
    Switch { switch: Switch },
    /// More of it.
    Nested(More),
}

#[derive(Debug, PartialEq, Arguments)]
struct Side {
    skill: Option<u32>,
    #[signed]
    ranks: Vec<i32>,
    #[word("tier")]
    tier: Option<i64>,
}

#[derive(Debug, PartialEq, Arguments)]
struct Other {
    #[flag("foe")]
    foe: bool,
    #[group]
    side: Side,
}

#[derive(Debug, PartialEq, Commands)]
enum More {
    /// From another topic.
    #[command(changes, example = "other", follow_up = "anyone")]
    Other,
}

#[derive(Debug, PartialEq, Choice)]
enum Table {
    Soft,
    Hard,
}

#[derive(Debug, PartialEq, Forms)]
enum Label {
    /// the next one
    Next,
    Pick {
        number: Number<1, 6>,
        #[flag("all")]
        all: bool,
    },
    #[form("say", "call")]
    Say { words: Text },
    #[form(bare)]
    Write { place: u32, text: Option<Text> },
}

#[derive(Debug, PartialEq, Forms)]
enum Switch {
    On { name: Name },
    Off { name: Name },
}

#[derive(Debug, PartialEq, Default, Choice)]
enum Favored {
    #[default]
    Ask,
    Auto,
}

#[derive(Debug, PartialEq, Choice)]
enum What {
    Impact,
    #[choice("inspire", "inspiration")]
    Inspire,
}

fn read(line: &str) -> Result<Play, String> {
    let (name, from) = line.split_once(' ').map_or((line, line.len()), |(name, _)| (name, name.len()));
    let specs = Play::declare();
    let spec = specs.iter().find(|spec| spec.answers_to(name)).expect("there is such a command");
    Play::parse(&spec.name, &mut Words::new(line, from)).map_err(|refusal| refusal.what)
}

fn check(skill: i32, ranks: &[i32], difficulty: Option<i64>) -> Play {
    Play::Check { skill, ranks: ranks.to_vec(), difficulty, fortune: false, favored: None, dice: vec![] }
}

#[test]
fn the_order_of_words_is_free() {
    assert_eq!(read("check 7 +4 -1 vs 15"), Ok(check(7, &[4, -1], Some(15))));
    assert_eq!(read("c DC 15 +4 7 -1"), Ok(check(7, &[4, -1], Some(15))));
    assert!(matches!(read("check favoured 7"), Ok(Play::Check { favored: Some(Favored::Ask), .. })));
    assert!(matches!(read("check 7 favored AUTO"), Ok(Play::Check { favored: Some(Favored::Auto), .. })));
}

#[test]
fn a_command_has_several_forms() {
    assert_eq!(read("insp"), Ok(Play::Inspiration { who: None, change: None }));
    assert_eq!(read("insp +1"), Ok(Play::Inspiration { who: None, change: Some(1) }));
    assert_eq!(read("insp -2 @Ann"), Ok(Play::Inspiration { who: Some(Name("Ann".into())), change: Some(-2) }));
    assert_eq!(read("crit Inspiration"), Ok(Play::Crit { what: What::Inspire }));
    assert_eq!(read("other"), Ok(Play::Nested(More::Other)));
}

#[test]
fn a_word_may_be_missing_where_its_value_can_stand_alone() {
    let hit = |damage, toughness| Play::Hit {
        damage: Some(damage),
        toughness: Some(toughness),
        character: Some(Name("Bob".into())),
    };
    assert_eq!(read("hit 7 vs 12 on Bob"), Ok(hit(7, 12)));
    assert_eq!(read("hit Bob 7 12"), Ok(hit(7, 12)));
    assert_eq!(read("hit against 7 12 bob").map(|_| ()), Ok(()));
    assert_eq!(read("hit on"), Err("a name is missing after \"on\"".to_owned()));
}

#[test]
fn a_keyword_tells_the_form_and_what_is_wrong_with_it() {
    let label = |what| Ok(Play::Label { table: Table::Soft, what });
    let text = |text: &str, at| Text { text: text.to_owned(), at };
    assert_eq!(read("label soft"), label(None));
    assert_eq!(read("label soft NEXT"), label(Some(Label::Next)));
    assert_eq!(read("label soft pick all 3"), label(Some(Label::Pick { number: Number(3), all: true })));
    assert_eq!(read("label soft call next,  as it is"), label(Some(Label::Say { words: text("next,  as it is", 16) })));
    assert_eq!(read("label soft 3 next"), label(Some(Label::Write { place: 3, text: Some(text("next", 13)) })));
    assert_eq!(read("switch on it"), Ok(Play::Switch { switch: Switch::On { name: Name("it".into()) } }));
    for (line, refusal) in [
        ("label soft nxet", "I do not understand \"nxet\" here: did you mean next?"),
        ("label soft elsewhere", "\"elsewhere\" is not a number"),
        ("label soft next one", "I do not understand \"one\" here"),
        ("label soft pick", "a number is missing after \"pick\""),
        ("label soft pick 3 lal", "I do not understand \"lal\" here: did you mean all?"),
        ("label soft pick 7", "7 is not from 1 to 6"),
        ("switch", "say on or off"),
        ("switch it", "I do not understand \"it\" here: say on or off"),
    ] {
        assert_eq!(read(line), Err(refusal.to_owned()), "{line}");
    }
    let specs = Play::declare();
    assert_eq!(specs[6].usage(), "label soft|hard [next|pick NUMBER [all]|say WORDS|PLACE [TEXT]]");
    let forms = specs[6].forms();
    let usages: Vec<_> = forms.iter().map(|(usage, _)| usage.trim_start_matches("label soft|hard ")).collect();
    assert_eq!(usages, ["label soft|hard", "next", "pick NUMBER [all]", "say WORDS", "PLACE [TEXT]"]);
    assert_eq!((forms[1].1, forms[2].1), ("the next one", ""));
    assert_eq!(specs[0].forms(), [(specs[0].usage(), "")]);
}

#[test]
fn a_line_has_two_sides_and_words_of_the_whole_line_stand_on_either() {
    let side = |skill, ranks: &[i32], tier| Side { skill, ranks: ranks.to_vec(), tier };
    let (own, other) = (side(Some(5), &[1], Some(2)), Other { foe: true, side: side(Some(4), &[-2], None) });
    assert_eq!(
        read("oppose tier 2 5 +1 vs -2 foe 4 attack"),
        Ok(Play::Oppose { attack: true, own, other: Some(other) })
    );
    let alone = Play::Oppose { attack: false, own: side(None, &[1], None), other: None };
    assert_eq!(read("oppose +1"), Ok(alone));
    assert_eq!(read("oppose 5 vs 4 feo"), Err("I do not understand \"feo\" here: did you mean foe?".to_owned()));
    assert_eq!(read("oppose 5 foe vs 4"), Err("\"foe\" goes after vs".to_owned()));
    assert_eq!(read("check 7 auto"), Err("\"auto\" goes after favored".to_owned()));
}

#[test]
fn what_does_not_fit_is_named() {
    for (line, refusal) in [
        ("check", "a number is missing"),
        ("check 7 vs", "a number is missing after \"vs\""),
        ("check 7 vs 15 vs 16", "\"vs\" is there once too often"),
        ("check 7 fortnue", "I do not understand \"fortnue\" here: did you mean fortune?"),
        ("check 99999999999", "99999999999 is out of range"),
        ("crit", "say impact or inspire"),
        ("crit now or later", "I do not understand \"later\": say impact or inspire"),
        ("crit impct or not", "I do not understand \"impct\": did you mean impact?"),
        ("crit impct", "I do not understand \"impct\": did you mean impact?"),
        ("check 7 vs foo", "\"foo\" is not a number after \"vs\""),
        ("insp +99999999999", "+99999999999 is too large"),
        ("say", "some text is missing"),
    ] {
        assert_eq!(read(line), Err(refusal.to_owned()), "{line}");
    }
}

#[test]
fn declarations_carry_help_usage_and_roles() {
    let specs = Play::declare();
    assert_eq!(specs[0].usage(), "check SKILL [+N|-N ...] [vs DIFFICULTY] [fortune] [favored [ask|auto]] [DICE ...]");
    assert_eq!(specs[0].help, "Roll against a difficulty. More about it here.\nA second paragraph.");
    assert_eq!(specs[0].short_help(), "Roll against a difficulty");
    assert_eq!(specs[0].arguments[0].help, "The skill's value.");
    assert!(specs[0].main);
    assert_eq!((specs[1].follow_up, specs[1].role), (FollowUp::Own, Role::Player));
    assert_eq!(specs[3].role, Role::Referee);
    let oppose = "oppose [attack] [SKILL] [+N|-N ...] [tier NUMBER] [vs [foe] [SKILL] [+N|-N ...] [tier NUMBER]]";
    assert_eq!(specs[4].usage(), oppose);
    assert_eq!(specs[5].usage(), "hit [DAMAGE] [vs TOUGHNESS] [on CHARACTER]");
    let other = &specs[8];
    assert_eq!((other.name.as_str(), other.follow_up, other.topic.as_str()), ("other", FollowUp::Anyone, "More of it"));
}
