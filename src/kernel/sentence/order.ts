/** Runs of letters or of digits; also within `camelCase` and `snake_case`. `SET-20` is one: a model, not an amount. */
const TOKEN = /\p{L}+-\d+|-?\d+(?:[.,]\d+)?|\p{Lu}?[\p{Ll}\p{M}]+|[\p{L}\p{M}]+/gu;
const NUMBER = String.raw`-?\d+(?:[.,]\d+)?`;
/** An amount, rather than the number of a thing. */
const LARGE = String.raw`-?(?:\d{2,}|\d+[.,]\d+)`;
const BETWEEN = String.raw`(?: \S+){0,4}?`;

/** Verbs that no name of a plant has, whatever follows. */
const ALONE = 'ignore|disregard|obey|pretend|forget';
/** What decides or changes, with what an order says of it: `confirm all`, `set it`. */
const DECIDE =
  'confirm|approve|accept|authori[sz]e|execute|permit|allow|grant|apply|write|set|change|override|bypass|delete|remove|withdraw|reject';
const DECIDED =
  'all|everything|anything|any|every|it|them|this|that|these|those|now|immediately|the|my|its|limits|rules|checks';
/** What moves, which plants say of `all` as well: `Close all valves` is the name of a point. */
const MOVE =
  'open|close|start|stop|raise|lower|increase|decrease|reduce|turn|switch|run|shut|reset|enable|disable|propose|send|call|use|do|make|put|keep|tell|say|visit|follow';
const MOVED = 'it|them|this|that|these|those|everything|anything|the|my|its';
const TO = 'raise|lower|increase|decrease|reduce|set|write|put|turn|change|move|bring|adjust';

/** Imperatives of German, of which names have the infinitive. */
const IMPERATIVE =
  'ignoriere?|missachte|vergiss|umgehe|befolge|gehorche|bestaetige|genehmige|akzeptiere|bewillige|erlaube|setze|schreibe|aendere|erhoehe|verringere|oeffne|schliesse|schalte|loesche|ueberschreibe|starte|stoppe|fuehre';
const INFINITIVE =
  'ignorieren|bestaetigen|genehmigen|akzeptieren|erlauben|setzen|schreiben|oeffnen|schliessen|aendern|stellen|schalten|loeschen|erhoehen';

/** In words between blanks, without signs; umlauts as two letters. */
const WORDS = [
  `(?:${ALONE}|${IMPERATIVE})`,
  `(?:${DECIDE}) (?:${DECIDED})`,
  `(?:${MOVE}) (?:${MOVED})`,
  // Not of a range: `Raise time 1 to 3`.
  String.raw`(?:${TO})${BETWEEN} (?:to ${LARGE}|(?<!\d )to (?:${NUMBER}|max|maximum|min|minimum|full|zero))`,
  `(?:write|put) ${NUMBER}`,
  String.raw`(?<=^|(?:and|then|now|please|limits) )set ${LARGE}`,
  'you|your|yours|yourself|should|shall',
  String.raw`(?:without|never|don t|dont|do not) (?:ask|asking|tell|telling|report|wait|confirming)`,
  '(?:is|are|was) (?:pre )?(?:approved|authori[sz]ed|allowed|permitted)',
  `(?:${INFINITIVE}) (?:sie|alle|alles|es|jetzt|sofort|das|diese[nmrs]?)`,
  '(?:alle|alles) (?:bestaetigen|genehmigen|akzeptieren|erlauben)',
  String.raw`auf ${NUMBER} (?:setzen|stellen|schreiben|aendern|erhoehen|senken|regeln|fahren)`,
  String.raw`(?:stelle|senke)${BETWEEN} auf ${NUMBER}`,
  'dein(?:e[nmrs]?)?|du (?:sollst|musst|darfst|kannst)',
];
const IN_WORDS = new RegExp(`(?:^| )(?:${WORDS.join('|')})(?= |$)`, 'u');

const AMOUNT = String.raw`-?[\d零一二两三四五六七八九十百最]`;
/** Of Chinese, simplified and traditional, between which no blanks are. */
const IN_CHINESE = new RegExp(
  [
    '忽略|无视|無視|忽视|忽視|绕过|繞過',
    '(?:确认|確認|批准|同意|允许|允許|执行|執行|接受|授权|授權)(?:所有|全部|一切|它|这|這|该|該|此)',
    '(?:所有|全部|一切|一律|直接|立即|马上|馬上)(?:确认|確認|批准|同意|授权|授權|写入|寫入)',
    `(?:设|設|设置|設置|设定|設定|改|调|調|写|寫|调整|調整|修改|提高)(?:为|為|成|到|至)${AMOUNT}`,
    '(?:把(?!手)|将|將).{1,10}(?:设|設|写|寫|改|调|調|打开|打開|关闭|關閉)',
    '[你您]|(?<![申邀聘])(?:请|請)(?:务必|務必|立即|马上|馬上|直接|确认|確認|批准|同意|写|寫|设|設|改|把|将|將|执行|執行)',
    '(?:不要|无需|無需|不用)(?:告诉|告訴|询问|詢問|确认|確認|批准|审批|審批)',
  ].join('|'),
  'u',
);

const UMLAUTS: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

/**
 * Whether a short text gives an order in English, German or Chinese: an imperative that names of plants do not have, a verb
 * with its object or amount, a word to a second person. A further sign beside the form of a text: other words and other
 * languages pass it, and a name that has such a word is one that a person looks at.
 */
export function isOrder(text: string): boolean {
  const plain = text.normalize('NFKC');
  if (IN_CHINESE.test(plain.replaceAll(/\s/g, ''))) return true;
  const isShouted = plain === plain.toUpperCase();
  const words = (plain.match(TOKEN) ?? []).map((word) =>
    // `IT` and `DO` in other letters are short for something.
    isShouted || word !== word.toUpperCase() ? word.toLowerCase() : word,
  );
  return IN_WORDS.test(words.join(' ').replaceAll(/[äöüß]/g, (letter) => UMLAUTS[letter] ?? ''));
}
