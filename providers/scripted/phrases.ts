/** What the scripted model can be asked for. */
export type Request =
  | 'undo'
  | 'why'
  | 'offline'
  | 'handover'
  | 'propose'
  | 'action'
  | 'attached'
  | 'history'
  | 'read'
  | 'alarms'
  | 'devices'
  | 'points'
  | 'whoAmI'
  | 'health'
  | 'latest';

/** A form of words; `given` holds what the words imply without naming it. */
type Phrase = { pattern: RegExp; given?: Record<string, string> };

const ID = '(?<id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})';
const DEVICE = '(?<device>.{1,64}?)';
const OWNER = "(?<device>[^']{1,64})'s";
const POINT = '(?<point>.{1,64}?)';
const VALUE = '(?<value>.{1,64}?)';
/** A device of one word before its point. */
const BARE = '(?<device>[\\w-]*\\d[\\w-]*)';
const THE = '(?:the |its )?(?:current |latest |present |actual |last )?';
const DER = '(?:(?:den|die|das|der|dem) )?(?:(?:aktuellen?|momentanen?|jetzigen?) )?';
const OF = '(?:of|on|at|in|from|for)';
const VON = '(?:von|vom|an|am|auf|in|bei|für)(?: (?:dem|der))?';
const SET = '(?:set|write|change|put|adjust|raise|lower|increase|decrease|reduce|turn|bring|move)';
const SETZE = '(?:setze?|stelle?|ändere?|erhöhe?|senke?|regle|drehe?|schreibe?|bringe?)';
/** "set point of dev-1" names a point all the same. */
const NO_CHANGE = `(?!${SET} .*\\b(?:to|by)\\b|${SETZE} .*\\b(?:auf|um)\\b)`;
const GET = "(?:what is|what's|tell me|show me|show|get|give me|check|look up)";
const ZEIGE =
  '(?:was ist|wie (?:hoch|groß|stark) ist|wie ist|zeige?(?: mir)?|nenne?(?: mir)?|sag(?: mir)?)';
const 查 = '(?:查看|查询|查一下|显示|看看|看一下|告诉我)';

const phrase = (text: string, given?: Record<string, string>): Phrase => ({
  pattern: new RegExp(text, 'iu'),
  ...(given && { given }),
});
const whole = (text: string, given?: Record<string, string>): Phrase => phrase(`^${text}$`, given);

const ALARM = '(?:alarme?s?|alerts?)';
const 报警 = '(?:报警|告警|警报)';
/** Words before a period or all devices, which name no device. */
const NAMELESS = '(?!(?:the|this|today|all|any|my|our|me|us|alle[nr]?|dem|der|den|mir|heute)\\b)';
/** What is done with alarms or belongs to them; a list of alarms answers none of it. */
const BESIDE =
  '^(?!.*(?:\\b(?:confirm|acknowledge|create|add|make|define|delete|remove|silence|mute|close|clear|disable|enable|set|change|reset|bestätigen?|quittieren?|erstellen?|anlegen?|löschen?|schließen?)\\b|\\balarm[ -]?(?:limit|threshold|level|rule|grenze|schwelle|regel)|(?<![未已])确认|创建|新建|添加|删除|关闭|清除|设置))';

const TEMPERATURE = { point: 'temperature' };
const AWAY = '(?:offline|disconnected|unreachable|not (?:online|connected|reachable))';
const FORT = '(?:offline|ausgefallen|nicht (?:online|verbunden|erreichbar))';
const 离线 = '(?:离线|掉线|断线|断开|不在线|没有?上线)';
const 为什么 = '(?:为什么|为何|怎么会?)';
const AT_DEVICE = `(?: (?:${OF}|${VON}) (?:device |gerät )?${NAMELESS}${DEVICE})?`;

/** Tried in this order, the first form that fits decides: English, German, Chinese. */
export const phrases: Readonly<Record<Request, readonly Phrase[]>> = {
  undo: [
    phrase(`\\b(?:undo|revert|roll back|rückgängig|zurücknehmen)\\b.*?${ID}`),
    phrase(`(?:撤销|还原).*?${ID}`),
    whole(
      '(?:undo|revert|roll back|take back)(?: (?:it|that|this|(?:the|my|our) (?:last )?(?:write|change|action|command)))?',
    ),
    whole('(?:undo|revert|roll|take) (?:it|that|this) back'),
    whole(
      '(?:mache?|nimm|nehme) (?:es|das|dies|die (?:letzte )?(?:änderung|aktion)) (?:wieder )?(?:rückgängig|zurück)',
    ),
    whole('(?:撤销|还原|撤回)(?:它|这个|刚才的?|上次的?|上一次的?)?(?:写入|修改|操作|更改)?'),
  ],
  why: [
    phrase(
      `^why (?:is there|are there|did|does|do|was|is|has) (?:an? |the |this |that |any )?(?:last |active |open )?${ALARM}(?: (?:fire|fired|raised|begin|begun|there|active|firing|open))*${AT_DEVICE}$`,
    ),
    phrase(
      `^why (?:is|does|did|has) ${DEVICE} (?:in alarm|alarm|(?:have|raised?|had) an? ${ALARM})$`,
    ),
    phrase(
      `^(?:explain|what (?:caused|causes|triggered)|(?:what is )?the (?:cause|reason) (?:of|for)|(?:cause|reason) (?:of|for)) (?:an? |the |this |that )?(?:last )?${ALARM}${AT_DEVICE}$`,
    ),
    phrase(
      `^(?:warum|weshalb|wieso) (?:gibt es|gab es|ist|kommt|kam|wurde) (?:da )?(?:ein(?:en)?|der|den|dieser|diesen) ${ALARM}(?: (?:ausgelöst|aktiv|gekommen))?${AT_DEVICE}(?: ausgelöst)?$`,
    ),
    phrase(`^(?:warum|weshalb|wieso) (?:hat|meldet|hatte) ${DEVICE} (?:einen )?${ALARM}$`),
    phrase(
      `^was (?:hat den|ist die ursache des|ist der grund des) ${ALARM}(?: ausgelöst)?${AT_DEVICE}$`,
    ),
    phrase(`${BARE} ?${为什么}.*${报警}`),
    phrase(`${为什么} ?${BARE}.*${报警}`),
    phrase(`${BARE} ?的?${报警}的?原因`),
    phrase(`${为什么}.*${报警}|${报警}的?原因`),
  ],
  offline: [
    phrase(
      `\\b${AWAY}\\b.*\\bdevices?\\b|\\b(?:devices?|anything|something|everything|which|what)\\b.*\\b${AWAY}\\b`,
    ),
    phrase(`\\b${FORT}\\b.*\\bgeräte?\\b|\\b(?:geräte?|etwas|was|welche)\\b.*\\b${FORT}\\b`),
    phrase(`${离线}.*设备|(?:设备|哪些|什么|有没有).*${离线}`),
    whole(`is ${DEVICE} (?:online|connected|reachable|${AWAY})`),
    whole(`ist ${DEVICE} (?:online|verbunden|erreichbar|${FORT})`),
    whole(`${BARE} ?(?:是否)?(?:在线|${离线})了?`),
  ],
  propose: [
    whole(`${SET} ${OWNER} ${POINT} (?:up |down |back )?to ${VALUE}`),
    whole(`${SET} ${THE}${POINT} ${OF} ${DEVICE} (?:up |down |back )?to ${VALUE}`),
    whole(`${SET} ${BARE} ${POINT} (?:up |down |back )?to ${VALUE}`),
    whole(`${OWNER} ${POINT} (?:should be|must be|shall be|has to be) ${VALUE}`),
    whole(`${THE}${POINT} ${OF} ${DEVICE} (?:should be|must be|shall be|has to be) ${VALUE}`),
    whole(`${SET} ${THE}${POINT} (?:up |down |back )?to ${VALUE} ${OF} ${DEVICE}`),
    whole(`${SETZE} ${DER}${POINT} ${VON} ${DEVICE} auf ${VALUE}(?: ein)?`),
    whole(`${SETZE} ${DER}${POINT} auf ${VALUE} ${VON} ${DEVICE}(?: ein)?`),
    whole(
      `${DER}${POINT} ${VON} ${DEVICE} auf ${VALUE} (?:setzen|stellen|einstellen|ändern|erhöhen|senken)`,
    ),
    whole(
      `${DER}${POINT} ${VON} ${DEVICE} (?:soll|muss) (?:auf )?${VALUE}(?: sein| gesetzt werden)?`,
    ),
    whole(
      `(?:把|将)? ?${DEVICE} ?的 ?${POINT} ?(?:设置?|设定|调整?|改|升高?|降低?|调高|调低) ?(?:为|成|到|至) ?${VALUE}`,
    ),
    whole(`(?:设置|设定|调整|修改|更改) ?${DEVICE} ?的 ?${POINT} ?(?:为|成|到|至) ?${VALUE}`),
    whole(
      `在 ?${DEVICE} ?[上中里]? ?(?:把|将) ?${POINT} ?(?:设置?|设定|调整?|改) ?(?:为|成|到|至) ?${VALUE}`,
    ),
  ],
  action: [
    phrase(`\\b(?:status|state|action|happened|aktion)\\b.*?${ID}`),
    phrase(`(?:操作|状态|提议).*?${ID}`),
    phrase('\\b(?:status|state|happened)\\b.*\\baction\\b|\\baction\\b.*\\bstatus\\b'),
    whole(
      '(?:so,? )?(?:did|has|is|was) (?:it|that|this|the (?:write|change|command))\\b.*\\b(?:work|worked|happen|happened|go through|gone through|done|written|executed|confirmed|rejected)',
    ),
    whole(
      '(?:hat|ist|wurde) (?:es|das|der befehl|die änderung)\\b.*(?:geklappt|funktioniert|ausgeführt|geschrieben|bestätigt|abgelehnt|erledigt|durch)',
    ),
    phrase('^status der aktion'),
    whole('(?:写入|操作|修改)?(?:已经)?(?:成功|完成|执行|生效|确认)了?(?:没有|没)?'),
  ],
  handover: [
    phrase(
      "\\bwhat(?: has|'s| is)? (?:happened|new|going on)(?: (?:last night|overnight|today|yesterday|here|lately|recently))?$|\\bhand-?over\\b|\\bwhat (?:needs|requires) (?:my |our )?attention\\b",
    ),
    phrase(
      '\\bwas ist (?:(?:heute|gestern|letzte|diese|in der|über) ?(?:nacht )?)?(?:passiert|los|geschehen|neu)\\b|\\b(?:schicht)?übergabe\\b',
    ),
    phrase('交接班?|(?:发生|出)了?什么|什么情况|有什么(?:新|异常)'),
  ],
  attached: [
    phrase('\\battach(?:ed|ment|ments)?\\b|\\bin (?:the|this|my) file\\b'),
    phrase('\\bangehängt\\b|\\banh[aä]ng'),
    phrase('附件'),
  ],
  history: [
    phrase(`\\b(?:history|trend|course) ${OF} ${THE}${POINT} ${OF} ${DEVICE}$`),
    phrase(`\\b(?:history|trend|course) ${OF} ${OWNER} ${POINT}$`),
    phrase(`\\b${OWNER} ${POINT} (?:history|trend)$`),
    phrase(
      `\\bhow (?:has|did) ${THE}${POINT} ${OF} ${DEVICE} (?:changed?|developed?|moved?)(?: .*)?$`,
    ),
    phrase(`\\b(?:verlauf|historie|geschichte) ${DER}${POINT} ${VON} ${DEVICE}$`),
    phrase(`(?:^| )(?<point>\\p{L}{3,40}?)verlauf ${VON} ${DEVICE}$`),
    whole(`${查}? ?${DEVICE} ?的 ?${POINT} ?的?历史(?:数据|曲线|记录|趋势|值)?`),
  ],
  read: [
    whole(`(?:read|ask for|measure|fetch) ${THE}${POINT} ${OF} ${DEVICE}(?: from the device)?`),
    whole(`(?:read|measure|fetch) ${OWNER} ${POINT}`),
    whole(`(?:lies|lese|miss|frage?) ${DER}${POINT} ${VON} ${DEVICE}(?: aus| ab)?`),
    whole(`(?:读取|读一下|读|采集) ?${DEVICE} ?的 ?${POINT}`),
  ],
  alarms: [
    phrase(
      `${BESIDE}.*\\b${ALARM}(?: (?:are|is|gibt es|sind|ist))?(?: (?:there|open|active|firing|offen|aktiv))* (?:${OF}|${VON}) (?:device |gerät )?${NAMELESS}${DEVICE}$`,
    ),
    phrase(
      `${BESIDE}.*\\b(?:does|has|hat) ${DEVICE} (?:have |gerade )?(?:any |an |a |open |active |offene |aktive |einen )*${ALARM}$`,
    ),
    phrase(`${BESIDE}.*\\b${ALARM} (?:does|has|hat) ${DEVICE}(?: have| has)?$`),
    phrase(`${BESIDE}(?:${GET} )?${OWNER} (?:open |active )?${ALARM}$`),
    phrase(`${BESIDE}(?:${GET} )?${BARE} ${ALARM}$`),
    phrase(`${BESIDE}.*?${BARE} ?(?:上|现在|当前|目前)*(?:有没有|有|的).*${报警}`),
    phrase(`${BESIDE}.*\\b${ALARM}\\b`),
    phrase(`${BESIDE}.*${报警}`),
  ],
  devices: [
    phrase('\\b(?:list|show|which|what|name|see)\\b.*\\bdevices\\b'),
    phrase('(?:liste?|zeige?|welche|nenne?|alle)\\b.*\\bgeräte\\b'),
    phrase('(?:列出|显示|查看|有|哪些|所有).*设备|设备列表'),
  ],
  points: [
    whole(
      `(?:(?:list|show|which|what)(?: me)?(?: are)? )?(?:the |all )?points (?:of|on|at|does|has) ${DEVICE}(?: have| has)?`,
    ),
    whole(`what (?:does|can) ${DEVICE} (?:measure|report)`),
    whole(
      `(?:(?:welche|liste?|zeige?)(?: mir)? )?(?:die )?(?:mess|daten)?punkte (?:von|hat|an|bei) ${DEVICE}(?: auf)?`,
    ),
    whole(`was misst ${DEVICE}`),
    whole(`(?:列出|显示|查看)? ?${DEVICE} ?(?:有|的)(?:哪些|什么|所有)?(?:测|数据)?点位?`),
  ],
  whoAmI: [
    phrase('\\bwho am i\\b|\\bmy (?:user|profile|account)\\b'),
    phrase('\\bwer bin ich\\b|\\bmein (?:benutzer|profil|konto)\\b'),
    phrase('我是谁|我的(?:账号|账户|用户|资料)'),
  ],
  health: [
    phrase(
      '\\bsystem (?:health|status|state)\\b|\\bis everything (?:ok|okay|fine|all right|running)\\b',
    ),
    phrase('\\bsystem(?:zustand|status)\\b|\\b(?:ist|läuft) alles\\b'),
    phrase('系统.*(?:状态|健康|正常|情况)|一切.*正常'),
  ],
  latest: [
    whole(`${GET} ${THE}${POINT} ${OF} ${DEVICE}`),
    whole(`(?:${GET} )?${OWNER} ${POINT}`),
    whole(`what ${POINT} does ${DEVICE} (?:have|show|report|measure)`),
    whole(`how (?:hot|warm|cold|cool) is (?:it (?:at|in|on) )?${DEVICE}`, TEMPERATURE),
    whole(`how (?:high|low|fast|strong|full|large) is ${THE}${POINT} ${OF} ${DEVICE}`),
    whole(`${ZEIGE} ${DER}${POINT} ${VON} ${DEVICE}(?: an)?`),
    whole(`${DER}${POINT} ${VON} ${DEVICE} (?:nennen|sagen|zeigen|anzeigen)`),
    whole(`welche[rns]? ${POINT} (?:hat|zeigt|meldet) ${DEVICE}`),
    whole(`wie (?:warm|heiß|kalt|kühl) ist (?:es (?:an|in|bei) )?${DEVICE}`, TEMPERATURE),
    whole(
      `${查}? ?${DEVICE} ?的 ?(?:当前|现在|实时|最新)?的?${POINT} ?(?:(?:现在|当前|目前)?(?:是|为)?(?:多少度?|什么|几度)|怎么样)?`,
    ),
    whole(`${DEVICE} ?(?:现在|当前)?(?:有)?多(?:热|冷|少度)`, TEMPERATURE),
    whole(
      `${BARE} ?(?<point>\\p{Script=Han}{1,20}?)(?:现在|当前|目前)?(?:是|为)?(?:多少度?|什么|几度|怎么样)`,
    ),
    whole(`${NO_CHANGE}${THE}${POINT} ${OF} ${DEVICE}`),
    whole(`${NO_CHANGE}${DER}${POINT} ${VON} ${DEVICE}`),
    whole(`${BARE} (?<point>[\\p{L} -]{1,64})`),
  ],
};

/** How far back a question looks. */
const PERIOD =
  /(?:^|[, ]*)(?:(?:in|over|for|during|of|within|seit|der|den|über) )?(?:the |den |der |die )?(?:last|past|letzten|vergangenen) (?<n>\d{1,3}) ?(?<unit>h|hours?|stunden?|d|days?|tagen?)\b|(?:在)?(?:最近|过去|近)的? ?(?<zahl>\d{1,3}) ?个?(?<einheit>小时|天)(?:内|里)?的?/iu;

/** The text without the period that it names, and the hours of that; null where it names none. */
export function periodIn(text: string): { rest: string; hours: number } | null {
  const { 0: period = '', groups = {} } = PERIOD.exec(text) ?? {};
  const count = Number(groups['n'] ?? groups['zahl'] ?? 0);
  if (count === 0) return null;
  const isDays = /^(?:d|t|天)/i.test(groups['unit'] ?? groups['einheit'] ?? '');
  return { rest: text.replace(period, '').trim(), hours: isDays ? count * 24 : count };
}

const POLITE =
  /^(?:(?:hey|hi|hello|hallo|ok|okay|well|so|now|then|und|and|also|你好|您好)[,!，]? |please |(?:can|could|would|will) you (?:please )?|i(?:'d| would) like (?:you )?to |i want (?:you )?to |i need to |let's |bitte |(?:kannst|könntest|würdest) du (?:mir )?(?:bitte )?|(?:können|könnten|würden) sie (?:mir )?(?:bitte )?|请问? ?|麻烦(?:你|您)?|帮我|能不能|能否|可以|我想(?:要)?(?:知道)?)/iu;
const TRAILING =
  /(?:,? (?:please|bitte|right now|now|currently|at the moment|jetzt|gerade|aktuell|thanks|thank you|danke)|[吗呢吧呀啊]|谢谢|[,，。！]\s*)$/iu;

/** Without greetings, courtesies and closing particles, which ask for nothing. */
export function bare(text: string): string {
  let left = text.replaceAll(/ bitte(?= )/giu, '').trim();
  for (let shorter = left; ; left = shorter) {
    shorter = left.replace(POLITE, '').replace(TRAILING, '').trim();
    if (shorter === left || shorter === '') return left;
  }
}

/** Words for the same quantity in the three languages, as points are named. */
const QUANTITIES: readonly (readonly string[])[] = [
  ['temperature', 'temperatur', '温度', '室温'],
  [
    'set-point',
    'setpoint',
    'target',
    'sollwert',
    'solltemperatur',
    '设定值',
    '设定点',
    '设定温度',
    '目标温度',
    '目标值',
  ],
  ['humidity', 'feuchte', 'feuchtigkeit', 'luftfeuchtigkeit', '湿度'],
  ['pressure', 'druck', '压力'],
  ['level', 'füllstand', 'pegel', '液位', '水位'],
  ['flow', 'durchfluss', '流量'],
  ['power', 'leistung', '功率'],
  ['speed', 'drehzahl', 'geschwindigkeit', '转速', '速度'],
  ['voltage', 'spannung', '电压'],
  ['valve', 'ventil', '阀门'],
];

/** The name as given, and the other words for it. */
export function namesOf(name: string): string[] {
  const given = name.toLowerCase().trim();
  const same = QUANTITIES.filter((words) => words.includes(given)).flat();
  return [name, ...same.filter((word) => word !== given)];
}
