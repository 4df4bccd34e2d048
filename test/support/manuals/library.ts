import { deflated, paged } from '../cases/pdf.ts';
import { workbook } from '../console/workbook.ts';
import type { Random } from '../hostile/random.ts';
import { gbk } from './gbk.ts';
import { document } from './office.ts';

type Language = 'en' | 'de' | 'zh';
type Words = {
  parts: readonly string[];
  /** What is done with a part, as a heading has it and as a question asks for it. */
  acts: readonly (readonly [heading: (part: string) => string, asked: (part: string) => string])[];
  faults: readonly string[];
  filler: readonly string[];
  code(code: string, part: string, fault: string): string;
  askCode(code: string, product: string): string;
  askAct(asked: string, product: string): string;
  askPart(part: string, product: string): string;
  see: string;
  head: string;
};

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    parts:
      'impeller,shaft seal,gear box,inlet filter,pressure sensor,drive belt,oil pump,relief valve,cooling fan,terminal block,float switch,coupling,bearing housing,drain plug,level probe,control board'.split(
        ',',
      ),
    acts: [
      [(part) => `Replacing the ${part}`, (part) => `how do I replace the ${part}`],
      [(part) => `Cleaning the ${part}`, (part) => `how is the ${part} cleaned`],
      [
        (part) => `Inspection of the ${part}`,
        (part) => `what is checked at the inspection of ${part}s`,
      ],
      [(part) => `Greasing the ${part}`, (part) => `how often must the ${part} be greased`],
      [(part) => `Calibration of the ${part}`, (part) => `calibrate the ${part}`],
    ],
    faults:
      'overheated,is blocked,reports no signal,leaks,has worn out,vibrates,is wired wrongly,exceeds its limit'.split(
        ',',
      ),
    filler: [
      'Switch the unit off and wait until it has cooled down.',
      'Only trained persons may do this work.',
      'Note the counter of hours in the log of the plant.',
      'Tighten the screws crosswise with the torque of the table.',
      'Do not use solvents.',
      'Dispose of old parts by the rules of your country.',
    ],
    code: (code, part, fault) => `Alarm ${code}: the ${part} ${fault}.`,
    askCode: (code, product) => `What does alarm ${code} of the ${product} mean?`,
    askAct: (asked, product) => `${product}: ${asked}?`,
    askPart: (part, product) => `part number of the ${part} for ${product}`,
    see: 'See also',
    head: 'Contents',
  },
  de: {
    parts:
      'Laufrad,Wellendichtung,Getriebe,Ansaugfilter,Drucksensor,Antriebsriemen,Oelpumpe,Ueberdruckventil,Luefterrad,Klemmleiste,Schwimmerschalter,Kupplung,Lagergehaeuse,Ablassschraube,Fuellstandssonde,Steuerplatine'.split(
        ',',
      ),
    acts: [
      [(part) => `${part} austauschen`, (part) => `wie wird ${part} ausgetauscht, austauschen`],
      [(part) => `${part} reinigen`, (part) => `wie reinige ich ${part}`],
      [(part) => `Wartung: ${part}`, (part) => `Wartungen am Bauteil ${part}`],
      [(part) => `${part} schmieren`, (part) => `wann muss man ${part} schmieren`],
      [(part) => `${part} kalibrieren`, (part) => `Kalibrieren von ${part}`],
    ],
    faults:
      'ist zu heiss,ist blockiert,meldet kein Signal,ist undicht,ist verschlissen,vibriert,ist falsch verdrahtet,liegt ueber dem Grenzwert'.split(
        ',',
      ),
    filler: [
      'Schalten Sie das Geraet aus und lassen Sie es abkuehlen.',
      'Nur geschultes Personal darf diese Arbeit ausfuehren.',
      'Tragen Sie die Betriebsstunden in das Buch der Anlage ein.',
      'Ziehen Sie die Schrauben ueber Kreuz mit dem Moment der Tabelle an.',
      'Verwenden Sie keine Loesungsmittel.',
    ],
    code: (code, part, fault) => `Stoerung ${code}: ${part} ${fault}.`,
    askCode: (code, product) => `Was bedeutet Störung ${code} bei ${product}?`,
    askAct: (asked, product) => `${product}: ${asked}?`,
    askPart: (part, product) => `Teilenummer ${part} ${product}`,
    see: 'Siehe auch',
    head: 'Inhalt',
  },
  zh: {
    parts:
      '叶轮,轴封,齿轮箱,进口过滤器,压力传感器,传动带,油泵,安全阀,冷却风扇,接线端子,浮球开关,联轴器,轴承座,排放塞,液位探头,控制板'.split(
        ',',
      ),
    acts: [
      [(part) => `更换${part}`, (part) => `如何更换${part}`],
      [(part) => `清洗${part}`, (part) => `怎样清洗${part}`],
      [(part) => `检查${part}`, (part) => `${part}要检查什么，检查${part}`],
      [(part) => `润滑${part}`, (part) => `多久润滑${part}一次`],
      [(part) => `校准${part}`, (part) => `校准${part}的步骤`],
    ],
    faults: '过热,堵塞,没有信号,泄漏,磨损,振动,接线错误,超过上限'.split(','),
    filler: [
      '先关闭设备并等待冷却。',
      '只有受过培训的人员才能操作。',
      '在记录中写下运行时间。',
      '按表中的力矩交叉拧紧螺钉。',
      '不要使用溶剂。',
    ],
    code: (code, part, fault) => `报警${code}：${part}${fault}。`,
    askCode: (code, product) => `${product}的报警${code}是什么意思？`,
    askAct: (asked, product) => `${product}：${asked}？`,
    askPart: (part, product) => `${product}的${part}的零件号`,
    see: '另见',
    head: '目录',
  },
};

const PRODUCTS: Readonly<Record<Language, readonly string[]>> = {
  en: 'Kestrel pump,Marlow mixer,Ostrea dryer,Tarn boiler,Vesper chiller,Harrow conveyor,Quill press,Delph blower,Lisk separator,Orrin compressor'.split(
    ',',
  ),
  de: 'Falke Dosieranlage,Nordhof Kessel,Brandt Zentrifuge,Lech Trockner,Isar Filterpresse'.split(
    ',',
  ),
  zh: '海鸥水泵,长江锅炉,泰山风机,黄河压缩机,昆仑离心机'.split(','),
};

type Asked = { words(product: string): string; says: string };
export type Question = { words: string; manual: string; says: string };
export type Made = { name: string; file: string; bytes: Buffer };

/** How a document is written, of these pages of lines. */
const FORMS: Readonly<Record<string, (pages: readonly (readonly string[])[]) => Buffer>> = {
  // Small enough to be on the page: what is beside it is no text of it.
  pdf: (pages) =>
    paged(
      pages.map((lines) =>
        deflated(
          `BT /F1 4 Tf 10 290 Td ${lines.map((line) => `(${line}) Tj 0 -6 Td`).join(' ')} ET`,
        ),
      ),
    ),
  docx: (pages) => document(pages),
};

/** Rows of a table with its parts and alarms, of as many lines as it says. */
function rowsOf(random: Random, language: Language, count: number) {
  const w = WORDS[language];
  const asked: Asked[] = [];
  const rows = Array.from({ length: count }, (_, at) => {
    const part = w.parts[at % w.parts.length] ?? '';
    const isCode = at >= w.parts.length;
    const code = `F${at + 100}`;
    const number = `${100 + random.upTo(900)}-${10_000 + random.upTo(90_000)}`;
    const fault = random.pick(w.faults);
    const note = random.pick(w.filler);
    const said = isCode ? w.code(code, part, fault) : part;
    asked.push({
      words: (product) => (isCode ? w.askCode(code, product) : w.askPart(part, product)),
      says: isCode ? code : number,
    });
    return [isCode ? code : number, said, note.repeat(2)];
  });
  return { rows: [['Code', 'Part', 'Note'], ...rows], asked };
}

/** Pages of a manual: contents, procedures with references to each other, alarms, eight to a page. */
function pagesOf(random: Random, language: Language, count: number) {
  const w = WORDS[language];
  const asked: Asked[] = [];
  const alarmPages = Math.max(1, Math.floor(count / 4));
  const topics = w.acts.flatMap(([heading, ask]) =>
    w.parts.map((part) => ({ title: heading(part), ask: ask(part) })),
  );
  const chosen = shuffled(random, topics).slice(0, count - 1 - alarmPages);
  const pages: string[][] = [[w.head, ...chosen.map(({ title }, at) => `${title} ... ${at + 2}`)]];
  for (const [at, { title, ask }] of chosen.entries()) {
    const other = random.pick(chosen).title;
    const value = `${10 + random.upTo(90)} Nm`;
    pages.push([
      `${at + 1}.${random.upTo(9) + 1} ${title}`,
      ...Array.from({ length: 6 }, () => random.pick(w.filler)),
      `${title}: ${value}.`,
      `${w.see}: ${other}, E${100 + random.upTo(alarmPages * 8)}.`,
    ]);
    asked.push({ words: (product) => w.askAct(ask, product), says: `${title}: ${value}` });
  }
  for (let page = 0; page < alarmPages; page += 1) {
    const lines = Array.from({ length: 8 }, (_, at) => {
      const code = 100 + page * 8 + at;
      const line = w.code(`E${code}`, random.pick(w.parts), random.pick(w.faults));
      const spelled = random.pick([`E${code}`, `E ${code}`, `E-${code}`]);
      asked.push({ words: (product) => w.askCode(spelled, product), says: line });
      return `${line} ${random.pick(w.filler)}`;
    });
    pages.push(lines);
  }
  return { pages, asked };
}

const shuffled = <T>(random: Random, list: readonly T[]): T[] =>
  list
    .map((one) => ({ one, place: random.upTo(1_000_000) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ one }) => one);

const csv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.join(';')}\n`).join('');

/** How the four tables are encoded; each can write its language. */
const ENCODED: readonly [Language, (text: string) => Buffer][] = [
  ['zh', (text) => Buffer.from(text)],
  ['en', (text) => Buffer.from(`\u{FEFF}${text}`, 'utf16le')],
  ['de', (text) => Buffer.from(text.replaceAll('ue', 'ü').replaceAll('oe', 'ö'), 'latin1')],
  ['zh', gbk],
];

/**
 * Twenty documents of one tenant: eight PDFs, four documents, three workbooks, four tables in four encodings and a text;
 * and questions, each with the manual and what the right page says.
 */
export function libraryOf(
  random: Random,
  { pages, rows, questions }: { pages: number; rows: number; questions: number },
): { manuals: Made[]; questions: Question[] } {
  const manuals: Made[] = [];
  const asked: Question[] = [];
  const names: Record<Language, string[]> = {
    en: [...PRODUCTS.en],
    de: [...PRODUCTS.de],
    zh: [...PRODUCTS.zh],
  };
  const add = (language: Language, file: string, bytes: Buffer, all: readonly Asked[]): void => {
    const name = names[language].shift() ?? '';
    manuals.push({ name, file, bytes });
    for (const { words, says } of all) asked.push({ words: words(name), manual: name, says });
  };
  const forms: [Language, string][] = [
    ...Array.from({ length: 5 }, (): [Language, string] => ['en', 'pdf']),
    ...Array.from({ length: 3 }, (): [Language, string] => ['de', 'pdf']),
    ['en', 'docx'],
    ['en', 'docx'],
    ['zh', 'docx'],
    ['zh', 'docx'],
  ];
  for (const [language, form] of forms) {
    const made = pagesOf(random, language, pages);
    add(language, `a.${form}`, FORMS[form]?.(made.pages) ?? Buffer.alloc(0), made.asked);
  }
  for (const language of ['en', 'en', 'de'] as const) {
    const { rows: cells, asked: all } = rowsOf(random, language, rows);
    add(language, 'a.xlsx', workbook(cells), all);
  }
  for (const [language, encode] of ENCODED) {
    const { rows: cells, asked: all } = rowsOf(random, language, rows);
    add(language, 'a.csv', encode(csv(cells)), all);
  }
  const text = pagesOf(random, 'zh', 8);
  add('zh', 'a.md', Buffer.from(text.pages.flat().join('\n')), text.asked);
  return { manuals, questions: shuffled(random, asked).slice(0, questions) };
}
