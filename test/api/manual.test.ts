import { describe, expect, it } from 'vitest';

import { byNumber } from '../../src/kernel/input/id.ts';
import { paged, saying } from '../support/cases/pdf.ts';
import { workbook } from '../support/console/workbook.ts';
import { gbk } from '../support/manuals/gbk.ts';
import { document, zipped } from '../support/manuals/office.ts';
import { manualOf, searchManuals, uploadManual } from '../support/manuals/upload.ts';
import { AnyRecords, Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { onboard } from '../tools/agent.ts';

const MANUAL = '/api/v3/agentic/manual';

const world = startedWorld();
const mine = prepared(() => world.admin);
const theirs = prepared(() => world.tenant('other'));

const named = (more: Record<string, string> = {}) => ({ manual_name: fresh('Manual'), ...more });
const pageOf = (id: string, page: number) =>
  mine.get(`${MANUAL}/get_page`, { id, page: String(page) }).then(({ status, body }) => ({
    status,
    text: String(Reflect.get(Object(body.data), 'text')),
  }));

describe('a manual', () => {
  it('is read from each kind of file, page by page, and found by its words', async () => {
    const cases: [string, string, Buffer | string, string, number][] = [
      [
        'a PDF',
        'm.pdf',
        paged([saying('Start'), saying('Alarm E17 means', 'overpressure')]),
        'E17',
        2,
      ],
      [
        'a document',
        'm.docx',
        document([['Start'], ['Fault E18: flow & pressure']]),
        'E 18 flow',
        2,
      ],
      [
        'a workbook',
        'm.xlsx',
        workbook([
          ['Code', 'Meaning'],
          ['E19', 'Pump stopped'],
        ]),
        'E-19',
        1,
      ],
      [
        'a text',
        'm.md',
        `${'Line.\n'.repeat(600)}Störung E20: Überdruckventil prüfen\n`,
        'druckventil',
        2,
      ],
      ['a table in UTF-8', 'm.csv', 'Code;Größe\nE21;zwölf\n', 'zwoelf', 1],
    ];
    for (const [kind, file, content, words, page] of cases) {
      const { manual_name: manualName } = named();
      const bytes = typeof content === 'string' ? content : Uint8Array.from(content);
      const { id } = await manualOf(mine, bytes, file, { manual_name: manualName });
      const [found] = await searchManuals(mine, { words, manualId: id });
      expect(found, kind).toMatchObject({ manualId: id, manualName, page });
      expect((await pageOf(id, page)).text, kind).toContain(found?.text.trim().slice(0, 5));
    }
  });

  it.each([
    ['UTF-8 with a mark', Buffer.from('\u{FEFF}阀门;故障\nP7;过压报警\n')],
    ['UTF-16, the low byte first', Buffer.from('\u{FEFF}阀门;故障\nP7;过压报警\n', 'utf16le')],
    [
      'UTF-16, the high byte first',
      Buffer.from('\u{FEFF}阀门;故障\nP7;过压报警\n', 'utf16le').swap16(),
    ],
    ['GBK', gbk('阀门;故障\nP7;过压报警\n')],
  ])('may be a table in %s', async (_, bytes) => {
    const { id } = await manualOf(mine, Uint8Array.from(bytes), 't.csv', named());
    expect(await pageOf(id, 1)).toEqual({ status: 200, text: '阀门;故障\nP7;过压报警\n' });
    for (const words of ['报警是什么意思', '过压', '障'])
      expect(await searchManuals(mine, { words, manualId: id }), words).toHaveLength(1);
  });

  it('repeats the first line of a table in each of its parts', async () => {
    const rows = Array.from({ length: 400 }, (_, at) => `E${at};cause number ${at}`).join('\n');
    const { id, pages } = await manualOf(mine, `Code;Cause\n${rows}`, 'codes.csv', named());
    expect(pages).toBeGreaterThan(1);
    expect((await pageOf(id, pages)).text).toMatch(/^Code;Cause\nE\d+;/);
  });

  it('of a device is found with those of its profile and of the tenant, and of no other', async () => {
    const { deviceId, profileId } = await onboard(mine, 'reach');
    const other = await onboard(mine, 'beyond');
    const word = fresh('quux').replaceAll(/\W/g, '');
    const ids: Record<string, string> = {};
    for (const [of, given] of Object.entries({
      device: { device_id: deviceId },
      profile: { profile_id: profileId },
      tenant: {},
      other: { device_id: other.deviceId },
    }))
      ids[of] = (await manualOf(mine, `The word is ${word}.`, 'a.txt', named(given))).id;
    const found = async (given: object) =>
      (await searchManuals(mine, { words: word, limit: 20, ...given })).map(
        ({ manualId }) => manualId,
      );
    const sorted = (...of: string[]) => of.map((one) => ids[one] ?? '').toSorted(byNumber);
    expect((await found({ deviceId })).toSorted(byNumber)).toEqual(
      sorted('device', 'profile', 'tenant'),
    );
    expect((await found({ profileId })).toSorted(byNumber)).toEqual(sorted('profile', 'tenant'));
    expect((await found({})).toSorted(byNumber)).toEqual(
      sorted('device', 'profile', 'tenant', 'other'),
    );
    const listed = Records.parse(await mine.data(`${MANUAL}/list`, { deviceId }));
    expect(listed.records.map((row) => Reflect.get(row, 'id'))).toEqual(
      expect.arrayContaining(sorted('device', 'profile', 'tenant')),
    );
    expect(await mine.post(`${MANUAL}/search`, { words: word, deviceId, profileId })).toMatchObject(
      {
        status: 400,
      },
    );
    expect(
      await mine.post('/api/v3/manager/device/delete', { id: deviceId }),
      'goes with its device',
    ).toMatchObject({ status: 200 });
    expect((await found({})).toSorted(byNumber)).toEqual(sorted('profile', 'tenant', 'other'));
    const kept = await mine.post('/api/v3/manager/profile/delete', { id: profileId });
    expect(kept.status, 'keeps its profile').toBe(409);
  });

  it('of another tenant is missing: not read, found, or deleted', async () => {
    const { id } = await manualOf(mine, 'Only mine: zyx9.', 'a.txt', named());
    expect(await theirs.get(`${MANUAL}/get_by_id`, { id })).toMatchObject({ status: 404 });
    expect(await theirs.get(`${MANUAL}/get_page`, { id })).toMatchObject({ status: 404 });
    expect(await theirs.post(`${MANUAL}/delete`, { id })).toMatchObject({ status: 404 });
    expect(await searchManuals(theirs, { words: 'zyx9' })).toEqual([]);
    expect(await theirs.post(`${MANUAL}/search`, { words: 'a', manualId: id })).toMatchObject({
      status: 404,
    });
    expect(await mine.get(`${MANUAL}/get_page`, { id, page: '2' })).toMatchObject({ status: 404 });
  });

  it('is deleted with its pages, in the change log', async () => {
    const given = named();
    const { id } = await manualOf(mine, 'To go: qqq1.', 'a.txt', given);
    expect(await mine.post(`${MANUAL}/delete`, { id })).toMatchObject({ status: 200 });
    expect(await searchManuals(mine, { words: 'qqq1' })).toEqual([]);
    const log = AnyRecords.parse(
      await mine.data('/api/v3/data/change/list', { text: given.manual_name }),
    );
    expect(log.records).toMatchObject([
      { operation: 'DELETE', entityName: given.manual_name },
      { operation: 'ADD', entityName: given.manual_name },
    ]);
  });

  it.each([
    ['empty', '', 'a.txt', 400, ''],
    ['an image', Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1'), 'a.png', 415, 'PDF, DOCX'],
    ['an archive of something else', zipped({ 'a.txt': 'x' }), 'a.zip', 415, ''],
    ['too large', 'x'.repeat(10 * 1024 * 1024 + 1), 'a.txt', 413, ''],
    ['blank', ' \n \n', 'a.txt', 422, 'no text'],
    ['a broken PDF', '%PDF-1.7\nno more', 'a.pdf', 422, 'broken'],
    ['a document with entities', entities(), 'a.docx', 422, 'broken'],
    ['a workbook that becomes very large', bomb('xl/workbook.xml'), 'a.xlsx', 422, 'read'],
    ['a document that becomes very large', bomb('word/document.xml'), 'a.docx', 422, 'read'],
  ])('is refused where it is %s', async (_, content, file, status, says) => {
    const bytes = typeof content === 'string' ? content : Uint8Array.from(content);
    const answer = await uploadManual(mine, bytes, file, named());
    expect(answer).toMatchObject({ status, body: { message: expect.stringContaining(says) } });
  });

  it('is refused for a name that is there, and for a device that is not', async () => {
    const given = named();
    await manualOf(mine, 'one', 'a.txt', given);
    expect((await uploadManual(mine, 'two', 'a.txt', given)).status).toBe(409);
    expect((await uploadManual(mine, 'two', 'a.txt', named({ device_id: '999999' }))).status).toBe(
      404,
    );
  });
});

function entities(): Buffer {
  const bytes = zipped({
    'word/document.xml':
      '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document><w:t>&a;</w:t></w:document>',
  });
  return bytes;
}

/** A few kilobytes that become half a gigabyte. */
function bomb(part: string): Buffer {
  const blanks = '<w:t>'.padEnd(200_000_000, ' ');
  return zipped({
    [part]: blanks,
    ...(part.startsWith('xl') && { 'xl/worksheets/a.xml': blanks }),
  });
}
