/** The end of a sentence in the three languages, or of a line. */
const SENTENCES = /(?<=[.!?。！？；])\s*|\n+/u;

/** Words of a sentence that says how it will be, could be or is not; it claims nothing. */
const OPEN =
  /\?|？|\b(?:not|n't|never|cannot|nothing|no|none|neither|will|would|can|could|should|shall|may|might|must|if|once|when|whenever|until|unless|before|after|pending|wait(?:s|ing)?|propos\w*|suggest\w*|request\w*|asked|to be|let me|please|want|try|going to|about to|unknown|unclear|unconfirmed|awaiting|failed|refused|rejected)\b|n[’']t\b/i;
const OPEN_GERMAN =
  /\b(?:nicht|kein\w*|nie|nichts|noch|wird|werden|werde|kann|können|könnte\w*|würde\w*|soll(?:te|ten|en|st)?|möchte\w*|wenn|sobald|falls|bevor|bis|nachdem|wartet|warten|ausstehend|vorgeschlagen\w*|vorschlag\w*|beantragt|bitte|unbekannt|unklar|abgelehnt|fehlgeschlagen)\b/i;
const OPEN_CHINESE =
  /未|没|沒|不|尚|待|等|如果|若|一旦|将|將|会|會|可以|可能|请|請|吗|嗎|提议|提議|建议|建議|确认后|確認後|失败|失敗|无法|無法|是否/u;

const PARTICIPLE =
  '(?:set|changed|written|updated|adjusted|switched|turned|opened|closed|started|stopped|increased|decreased|lowered|raised|reduced|executed|applied|completed|carried out|done|modified|reset|enabled|disabled|activated|deactivated|configured)';
const CLAIMS: readonly RegExp[] = [
  // "Done.", "All done!", "Done: the setpoint is 21."
  /^\W*(?:all |ok(?:ay)?,? |it(?:'s| is) |and )?(?:done|completed|finished)\b/i,
  // "I have set", "I've just changed", "I wrote"
  new RegExp(
    `\\b(?:i|we)(?:'ve|’ve| have)?(?: just| now| already| successfully)* ${PARTICIPLE}\\b`,
    'i',
  ),
  /\b(?:i|we)(?: just| now| already| successfully)* wrote\b/i,
  // "was set", "has been written", "is now closed", "are set to"
  new RegExp(
    `\\b(?:was|were|has been|have been|is now|are now|got|is|are)(?: now| just| already| successfully)* ${PARTICIPLE}\\b`,
    'i',
  ),
  new RegExp(`\\bsuccessfully ${PARTICIPLE}\\b|\\b${PARTICIPLE} successfully\\b`, 'i'),
  // "Set to 21 °C.", "Written."
  /^\W*(?:set|changed|updated|written|switched|turned|adjusted|applied|executed)\b(?: (?:to|it|the|on|off)\b.*)?\W*$/i,
  /\bnow (?:at|set to|on|off|runs at|running at)\b.{0,40}\bas (?:you )?(?:asked|requested|wanted)\b/i,
];
const GERMAN =
  '(?:gesetzt|geschrieben|geändert|eingestellt|ausgeführt|umgestellt|umgeschaltet|eingeschaltet|ausgeschaltet|geschaltet|geöffnet|geschlossen|gestartet|gestoppt|erhöht|gesenkt|reduziert|angepasst|übernommen|aktualisiert|abgeschlossen|erledigt|durchgeführt|aktiviert|deaktiviert)';
const CLAIMS_GERMAN: readonly RegExp[] = [
  /^\W*(?:alles |ist |schon |okay,? )*(?:erledigt|fertig|gemacht|ausgeführt)\b/i,
  new RegExp(
    `\\b(?:habe|haben|hat|wurde|wurden|ist|sind|worden|erfolgreich)\\b.{0,120}?(?<![\\p{L}])${GERMAN}(?![\\p{L}])`,
    'iu',
  ),
  new RegExp(`^\\W*(?:auf .{1,40} )?${GERMAN}\\W*$`, 'iu'),
];
const CLAIMS_CHINESE: readonly RegExp[] = [
  /已(?:经|經|成功|为您|為您|帮您|幫您|将|將)*.{0,20}?(?:设置|設置|设定|設定|写入|寫入|修改|更改|调整|調整|完成|执行|執行|打开|打開|关闭|關閉|启动|啟動|停止|切换|切換|调到|調到|调至|調至|设为|設為|改为|改為|调为|調為|更新|生效|降低|提高)/u,
  /(?:设置|設置|设定|設定|写入|寫入|修改|更改|调整|調整|执行|執行|操作|更新)(?:已)?(?:成功|完成|完毕|完畢|好了|了)/u,
  /^\W*(?:好的?[，,]?\s*)?(?:完成|搞定|办好|辦好|弄好|做好)(?:了)?\W*$/u,
];

/**
 * Whether a text says, in English, German or Chinese, that something was done to a device. Only says how it reads:
 * whether it is so, receipts say. A sentence about the future, a condition, a question or a negation claims nothing.
 */
export function claimsDone(text: string): boolean {
  return text.split(SENTENCES).some((sentence) => sentence.trim() !== '' && isClaim(sentence));
}

function isClaim(sentence: string): boolean {
  const says = (claims: readonly RegExp[]): boolean => claims.some((claim) => claim.test(sentence));
  // The words of "已将" that look like the future are part of what claims.
  const chinese = sentence.replaceAll(/已(?:经|經)?(?:为您|為您|帮您|幫您)?(?:将|將)/gu, '已');
  return (
    (says(CLAIMS) && !OPEN.test(sentence)) ||
    (says(CLAIMS_GERMAN) && !OPEN_GERMAN.test(sentence) && !sentence.includes('?')) ||
    (CLAIMS_CHINESE.some((claim) => claim.test(chinese)) && !OPEN_CHINESE.test(chinese))
  );
}

const MAX_DEPTH = 20;

/**
 * What an answer in JSON says in words, a line for each: its texts, and the names of fields that are true. A field
 * that is false says nothing. Text that is no JSON is left as it is.
 */
export function wordsOf(text: string): string {
  try {
    return linesOf(JSON.parse(text), 0).join('\n');
  } catch {
    return text;
  }
}

function linesOf(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    inner === true ? [spaced(name)] : linesOf(inner, depth + 1),
  );
}

/** `valveClosed` and `valve_closed` as words. */
const spaced = (name: string): string =>
  name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_-]+/g, ' ');
