import { expect, it } from 'vitest';

import { plotPng, plotSvg } from '../../src/data/digest/plot.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients } from '../support/people/mcp.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { onboard, report } from './agent.ts';

const world = startedWorld();
const site = prepared(() => onboard(world.admin, 'site'));

const START = Date.UTC(2026, 2, 1);
const noisy = Array.from({ length: 1_100 }, (_, index) => ({
  time: START + index * 78_000,
  value: ((index * 7919) % 1000) / 10,
}));
const day = { from: START, to: START + 86_400_000, zone: 'Asia/Kathmandu', unit: '°C' };

it.each([1, 10])('adds an image of at most 25 KB, the same each time: %i lines', async (count) => {
  const lines = Array.from({ length: count }, (_, line) => ({
    samples: noisy.map(({ time, value }) => ({ time, value: (value * (line + 7)) % 100 })),
    gapMs: 300_000,
  }));
  const png = await plotPng({ ...day, lines });
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([640, 240]);
  expect(png.length).toBeLessThanOrEqual(25_000);
  expect((await plotPng({ ...day, lines })).equals(png)).toBe(true);
});

it('breaks a line at a gap, and says extremes with the unit and times of the plant', () => {
  const samples = [0, 1, 2, 10, 11].map((index) => ({
    time: START + index * 60_000,
    value: index,
  }));
  const svg = plotSvg({ ...day, unit: '<°C>', lines: [{ samples, gapMs: 180_000 }] });
  expect(svg.match(/ d="M\d+ \d+h1L\d+ \d+L\d+ \d+M\d+ \d+h1L\d+ \d+"/)).not.toBeNull();
  expect(svg).toContain('>11 &#60;°C&#62;<');
  expect(svg).toContain('>05:45<');
});

it('is beside the answer over MCP', async () => {
  await report(world, world.admin, site, [10, 20, 30, 12], 60_000);
  const [connect] = Object.values(clients);
  const client = await connect?.(world.base, await bearerFor(world.admin, { scope: 'svc:read' }));
  const points = ['site set-point'];
  const answer = await client?.call('getPointValueHistory', { points, hours: 1, plot: true });
  expect(answer).toMatchObject({
    structuredContent: { series: [{ count: 4 }] },
    content: [{ type: 'text' }, { type: 'image', mimeType: 'image/png' }],
  });
  await client?.close();
});
