"""One abstract sentence tree, realised in English and in French by pyrealb: pairs of clauses that are grammatical.

A tree names concepts (a pair of words, one a language), number, determiner, tense, negation, passive. The grammar of
each language, its word order, agreement, elision and clitics, is pyrealb's.  Used by tools/models/corpora.py only.
"""

import random
import re

from pyrealb import NP, PP, SP, VP, A, D, N, P, Pro, Q, V, loadEn, loadFr


def concepts(text: str) -> list[tuple[str, ...]]:
    return [tuple(each.split(":")) for each in text.split()]


NOUNS = {
    "person": concepts(
        "doctor:médecin teacher:professeur king:roi queen:reine girl:fille boy:garçon mother:mère father:père "
        "friend:ami farmer:fermier soldier:soldat student:étudiant poet:poète baker:boulanger president:président "
        "minister:ministre engineer:ingénieur singer:chanteur painter:peintre neighbour:voisin child:enfant "
        "woman:femme man:homme sister:soeur brother:frère lawyer:avocat"
    ),
    "animal": concepts("cat:chat dog:chien horse:cheval bird:oiseau cow:vache wolf:loup mouse:souris"),
    "food": concepts("apple:pomme cheese:fromage cake:gâteau egg:oeuf pear:poire salad:salade orange:orange"),
    "thing": concepts(
        "book:livre letter:lettre house:maison car:voiture key:clé door:porte window:fenêtre table:table chair:chaise "
        "song:chanson newspaper:journal bridge:pont machine:machine flower:fleur box:boîte hat:chapeau shirt:chemise "
        "knife:couteau pen:stylo boat:bateau"
    ),
    "idea": concepts(
        "area:zone law:loi market:marché bank:banque company:entreprise crisis:crise project:projet agreement:accord "
        "system:système program:programme"
    ),
    "place": concepts(
        "garden:jardin kitchen:cuisine city:ville forest:forêt school:école hospital:hôpital street:rue church:église "
        "park:parc room:chambre station:gare castle:château"
    ),
}
# In French these stand before the noun, every other adjective behind it, in mirrored order.
BEFORE = concepts("old:vieux young:jeune small:petit big:grand beautiful:beau new:nouveau bad:mauvais")
COLOURS = concepts("red:rouge green:vert blue:bleu black:noir white:blanc yellow:jaune grey:gris")
HUMAN = concepts(
    "happy:heureux sad:triste rich:riche poor:pauvre tired:fatigué intelligent:intelligent dangerous:dangereux "
    "strong:fort famous:célèbre"
)
QUALITY = concepts("heavy:lourd light:léger clean:propre round:rond useful:utile")
POLITICAL = concepts(
    "economic:économique European:européen national:national political:politique public:public Italian:italien "
    "French:français German:allemand"
)
BEHIND = {
    "person": HUMAN,
    "animal": HUMAN,
    "food": QUALITY + COLOURS,
    "thing": QUALITY + COLOURS,
    "idea": POLITICAL,
    "place": COLOURS,
}
WITHOUT_OBJECT = concepts(
    "sleep:dormir walk:marcher run:courir laugh:rire cry:pleurer work:travailler dance:danser sing:chanter eat:manger"
)
WITH_OBJECT = {
    "food": concepts("eat:manger buy:acheter sell:vendre prepare:préparer cut:couper"),
    "thing": concepts(
        "see:voir buy:acheter sell:vendre find:trouver lose:perdre wash:laver paint:peindre hide:cacher break:casser "
        "draw:dessiner clean:nettoyer"
    ),
    "animal": concepts("see:voir follow:suivre love:aimer hear:entendre protect:protéger wash:laver"),
    "idea": concepts("change:changer defend:défendre study:étudier create:créer destroy:détruire support:soutenir"),
}
PRONOUNS = [(1, "s", "m"), (1, "p", "m"), (2, "s", "m"), (3, "s", "m"), (3, "s", "f"), (3, "p", "m")]
DETERMINERS = {"the": ("the", "le"), "a": ("a", "un"), "this": ("this", "ce"), "my": ("my", "mon")}
TENSES = {"present": ("p", "p"), "past": ("ps", "pc"), "future": ("f", "f")}


class Trees:
    """Random clause trees, a function of the seed. `clause()` gives nested dicts; `realise` writes one in a
    language."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def noun_phrase(self, kind: str, depth: int = 0) -> dict:
        r = self.random
        # people hear and see people as well as animals
        pool = NOUNS["animal"] + NOUNS["person"] if kind == "animal" else NOUNS[kind]
        noun = r.choice(pool)
        fitting = BEFORE if kind in ("person", "animal") else [each for each in BEFORE if each[0] != "young"]
        before = [r.choice(fitting)] if kind != "idea" and r.random() < 0.35 else []
        count = r.choices([0, 1, 2], [2, 5, 3] if kind == "idea" else [6, 4, 0])[0]
        tree = {
            "noun": noun,
            "before": before,
            "behind": r.sample(BEHIND[kind], count),
            "number": "p" if r.random() < 0.35 else "s",
            "determiner": r.choices(["the", "a", "my", "this"], [6, 3, 1.5, 1.5])[0],
            "owner": r.choice([1, 2]),
            "animal": noun in NOUNS["animal"],
        }
        if depth == 0 and kind in ("person", "animal") and r.random() < 0.15:
            tree["relative"] = self.verb_phrase(1)
        elif depth < 2 and kind in ("food", "thing", "idea") and r.random() < 0.12:
            tree["of"] = self.noun_phrase("person", 2)
        return tree

    def verb_phrase(self, depth: int = 0) -> dict:
        r = self.random
        tree = {"tense": r.choices(list(TENSES), [4, 4, 2])[0]}
        if r.random() < 0.25:
            tree["verb"] = r.choice(WITHOUT_OBJECT)
        else:
            kind = r.choice(["food", "thing", "thing", "animal", "idea", "idea"])
            tree["verb"] = r.choice(WITH_OBJECT[kind])
            tree["object"] = self.noun_phrase(kind, depth + 1)
            # "it", "him" and a participle that agrees would need the antecedent; "them" does not
            tree["clitic"] = tree["object"]["number"] == "p" and tree["tense"] != "past" and r.random() < 0.3
        if r.random() < 0.3:
            tree["place"] = self.noun_phrase("place", 2)
        return tree

    def clause(self) -> dict:
        r = self.random
        subject = (
            {"pronoun": r.choice(PRONOUNS)}
            if r.random() < 0.25
            else self.noun_phrase(r.choice(["person", "person", "animal"]))
        )
        return {"subject": subject, "verb": self.verb_phrase(), "not": r.random() < 0.2, "passive": r.random() < 0.08}


def _noun_phrase(tree: dict, french: int, bare: bool = False):
    """bare: under French negation and behind "de", where the indefinite article gives way to a lone "de"."""
    noun = N(tree["noun"][french])
    before, behind = ([A(each[french]) for each in tree[side]] for side in ("before", "behind"))
    words = [*before, noun, *reversed(behind)] if french else [*before, *behind, noun]
    indefinite = tree["determiner"] == "a"
    if french and indefinite and bare:
        phrase = NP(*words)
    elif french and indefinite and tree["number"] == "p" and before:
        phrase = NP(Q("de"), *words)  # des pommes, but de belles pommes
    else:
        determiner = D(DETERMINERS[tree["determiner"]][french])
        if tree["determiner"] == "my":
            determiner = determiner.pe(tree["owner"])
        phrase = NP(determiner, *words)
    phrase = phrase.n(tree["number"])
    if tree["determiner"] == "my":
        determiner.ow("s")
    if "relative" in tree:
        phrase.add(
            SP(Pro("qui" if french else "that" if tree["animal"] else "who"), _verb_phrase(tree["relative"], french))
        )
    if "of" in tree:
        owner = tree["of"]
        phrase.add(PP(P("de" if french else "of"), _noun_phrase(owner, french, bare=owner["number"] == "p")))
    return phrase


def _verb_phrase(tree: dict, french: int, negated: bool = False):
    phrase = VP(V(tree["verb"][french]).t(TENSES[tree["tense"]][french]))
    if "object" in tree:
        lone = bool(french and negated and tree["object"]["determiner"] == "a" and not tree["clitic"])
        thing = _noun_phrase(tree["object"], french, bare=lone)
        phrase.add(PP(P("de"), thing) if lone else thing.pro() if tree["clitic"] else thing)
    if "place" in tree:
        phrase.add(PP(P("dans" if french else "in"), _noun_phrase(tree["place"], french)))
    return phrase


def realise(tree: dict, french: int) -> str:
    """The clause as spaced lower-case tokens; french: 0 or 1. Raises ValueError where pyrealb lacks a word."""
    (loadFr if french else loadEn)()
    subject = tree["subject"]
    passive = tree["passive"] and "object" in tree["verb"] and not tree["verb"]["clitic"] and "pronoun" not in subject
    if "pronoun" in subject:
        person, number, gender = subject["pronoun"]
        who = Pro("je" if french else "I").pe(person).n(number).g(gender)
    else:
        who = _noun_phrase(subject, french)
    sentence = SP(who, _verb_phrase(tree["verb"], french, negated=tree["not"] and not passive))
    types = {name: True for name, wanted in (("neg", tree["not"]), ("pas", passive)) if wanted}
    return tokens(sentence.typ(types).realize() if types else sentence.realize())


def tokens(text: str) -> str:
    """Lower case, œ as one letter, French apostrophes with their word: l' homme."""
    if "[[" in text:
        raise ValueError(f"a word that pyrealb lacks: {text}")
    text = re.sub("oe(?=u)", "œ", text.lower().replace("’", "'"))
    text = re.sub(r"\b([ldnmtsjc]|qu)'", r"\1' ", text)
    return " ".join(text.split())
