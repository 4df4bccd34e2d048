import { describe, expect, it } from 'vitest';

import { annotationOf, citationsIn, sourcesIn } from '../../src/agentic/session/citation.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const place = {
  deviceId: '3',
  deviceName: 'Boiler 2',
  pointId: '4',
  pointName: 'Temperature',
  unit: '°C',
};
const latest = { ...place, value: '41.26', createTime: '2026-03-01T11:59:00Z' };
const cited = (text: string, result: Record<string, unknown>) =>
  citationsIn(text, sourcesIn(result, NOW), 'https://svc.example').map((each) => [
    text.slice(each.start, each.end),
    each.as_of,
  ]);

describe('a figure in an answer', () => {
  it('is cited with value, time, device and point', () => {
    const [citation] = citationsIn('It is 41.3 °C.', sourcesIn(latest, NOW), 'https://svc.example');
    expect(citation).toEqual({
      ref: 1,
      kind: 'point',
      start: 6,
      end: 10,
      label: 'Temperature · Boiler 2',
      value: 41.26,
      unit: '°C',
      as_of: '2026-03-01T11:59:00Z',
      device_id: '3',
      device_name: 'Boiler 2',
      point_id: '4',
      point_name: 'Temperature',
      url: 'https://svc.example/console/devices/3',
    });
    expect(citation && annotationOf(citation)).toEqual({
      type: 'url_citation',
      url_citation: {
        start_index: 6,
        end_index: 10,
        title: 'Temperature · Boiler 2: 41.26 °C, 2026-03-01T11:59:00Z',
        url: 'https://svc.example/console/devices/3',
      },
    });
  });

  it.each([
    ['41.26', 1],
    ['41,3 °C', 1],
    ['41', 1],
    ['42', 0],
    ['41.27', 0],
    ['2041 and 41.2.1 and v41', 0],
    ['2026-03-41 at 10:41', 0],
  ])('%s is cited %i times for 41.26', (text, times) => {
    expect(cited(text, latest)).toHaveLength(times);
  });

  it('of one digit is cited only with its unit: it may be a name', () => {
    const two = { ...latest, value: 2 };
    expect(cited('Boiler 2 is at 2 °C', two)).toEqual([['2', latest.createTime]]);
  });

  it('is cited from series, tables and negative values, with their own times', () => {
    const series = {
      series: [
        {
          ...place,
          count: 3,
          expected: 3,
          coverage: 1,
          min: -12.5,
          minAt: '2026-03-01T08:00:00Z',
          mean: 20.1,
          last: { value: 33.3, ageS: 60, stale: false },
        },
      ],
    };
    expect(cited('From -12.5 to 33.3, 20.1 on average', series)).toEqual([
      ['-12.5', '2026-03-01T08:00:00Z'],
      ['33.3', '2026-03-01T11:59:00.000Z'],
      ['20.1', null],
    ]);
    const table = {
      columns: ['device', 'point', 'value', 'unit', 'ageS', 'why'],
      rows: [['Boiler 2', 'Temperature', '55.5', '°C', 120]],
    };
    expect(cited('It was 55.5 °C', table)).toEqual([['55.5', '2026-03-01T11:58:00.000Z']]);
  });

  it('of a result without values has none', () => {
    expect(cited('There are 12 devices', { total: 12, records: [{ deviceName: 'x' }] })).toEqual(
      [],
    );
    expect(cited('It is 41', { ...place, value: null, createTime: null })).toEqual([]);
    expect(cited('It is on', { ...latest, value: 'on' })).toEqual([]);
  });
});

describe('a page of a manual in an answer', () => {
  const BASE = 'https://svc.example';
  const page = (manualId: string, manualName: string, of: number) => ({
    manualId,
    manualName,
    page: of,
    pages: 40,
    text: 'E17: overpressure',
  });
  const found = [page('5', 'Pump P7', 7), page('6', 'Valve', 7), page('5', 'Pump P7', 12)];
  const sources = sourcesIn({ found, read: page('6', 'Valve', 3), more: null, manuals: [] }, NOW);
  const named = (text: string) =>
    citationsIn(text, sources, BASE).map((each) => [
      text.slice(each.start, each.end),
      each.manual_id,
      each.value,
    ]);

  it('is cited with its manual, as an annotation that leads to it', () => {
    const text = 'E17 is overpressure (Pump P7, page 7).';
    const [citation] = citationsIn(text, sources, BASE);
    expect(citation).toMatchObject({ ref: 1, kind: 'page', label: 'Pump P7', value: 7 });
    expect(citation && annotationOf(citation)).toEqual({
      type: 'url_citation',
      url_citation: {
        start_index: 30,
        end_index: 36,
        title: 'Pump P7, page 7',
        url: `${BASE}/console/manuals/5?page=7`,
      },
    });
  });

  it.each([
    ['Pump P7, p. 7', 'p. 7'],
    ['Handbuch Pump P7, S. 7', 'S. 7'],
    ['Pump P7, Seite 7.', 'Seite 7'],
    ['Pump P7 第7页', '第7页'],
    ['See page 7 of pump p7', 'page 7'],
  ])('is known in %s', (text, words) => {
    expect(named(text)).toEqual([[words, '5', 7]]);
  });

  it('is of the manual that is named before it', () => {
    expect(named('Valve, page 7; Pump P7, page 12; Valve, page 3')).toEqual([
      ['page 7', '6', 7],
      ['page 12', '5', 12],
      ['page 3', '6', 3],
    ]);
  });

  it('is none of a manual that another sentence names, or one far away', () => {
    expect(named('See page 7 of the guide. Pump P7 says nothing of it.')).toEqual([]);
    expect(named(`Pump P7 is old. ${'It runs. '.repeat(30)}See page 7 of the guide.`)).toEqual([]);
    expect(named('See page 7 of the guide, not of Pump P7.')).toEqual([['page 7', '5', 7]]);
  });

  it('is looked for at the first fifty places', () => {
    expect(named('Pump P7, page 7. '.repeat(60))).toHaveLength(50);
  });

  it.each([
    'Pump P7, page 8',
    'Boiler, page 7',
    'U.S. 7 of Pump P7',
    'Pump P7, pages 70',
    'Pump P7: 7 bar, page 7.5',
  ])('is none that no tool returned: %s', (text) => expect(named(text)).toEqual([]));
});
