import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { runTool } from '../../src/auth/agent/run-tool.ts';
import { FIGURES } from '../../src/kernel/metrics/figures.ts';
import { onboard } from '../support/devices/plant.ts';
import { freePort } from '../support/neighbours/free-port.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, started, startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const TOKEN = 'a-token-of-the-tests-that-reads-figures';
const place = prepared(async () => ({ port: await freePort() }));
const world = started(() =>
  startWorld({
    environment: { SVC_METRICS_PORT: `${place.port}`, SVC_METRICS_TOKEN: TOKEN },
  }),
);

const ask = (path = '/metrics', token: string | null = TOKEN, method = 'GET') =>
  fetch(`http://127.0.0.1:${place.port}${path}`, {
    method,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });

/** The value of a line; undefined where there is none. */
async function figure(line: string): Promise<number | undefined> {
  const text = await (await ask()).text();
  const found = text.split('\n').find((one) => one.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}

describe('the figures of a process', () => {
  it('count values, commands, tools and budgets, and say how its parts are', async () => {
    const { deviceId, target, temperature, driverId } = await onboard(world.admin);
    const { tenantId } = world.admin;
    const value = (pointId: string) => ({
      deviceId,
      pointId,
      rawValue: '20',
      calValue: '20',
      numValue: 20,
      quality: 0 as const,
      originTime: world.clock.now() - 1_000,
      seq: 1,
    });
    const report = (driverCode: string) =>
      world.bus.handled(
        'svc.e.value',
        { tenantId, driverId, driverCode, node: 'n', values: [value(temperature)] },
        driverCode,
      );
    await report('VirtualDriver');
    await report('Counted');
    expect(
      await figure('svc_values_total{driver="VirtualDriver",outcome="stored"}'),
    ).toBeGreaterThan(0);
    expect(await figure('svc_values_total{driver="Counted",outcome="refused"}')).toBe(1);
    expect(await figure('svc_value_lag_seconds_bucket{le="2",driver="Counted"}')).toBe(1);

    const ended = 'svc_commands_total{kind="point",outcome="SUCCESS"}';
    const before = (await figure(ended)) ?? 0;
    await world.admin.data('/api/v3/data/point_command/write', {
      deviceId,
      pointId: target,
      value: '21',
    });
    await eventually(
      () => figure(ended),
      (count) => (count ?? 0) > before,
    );

    const tool = toolNamed('searchDevices');
    await runTool(world.app, agentIn(world.admin), tool, {});
    await runTool(world.app, agentIn(world.admin), tool, { limit: 'many' });
    const calls = 'svc_tool_calls_total{tool="searchDevices",outcome=';
    expect(await figure(`${calls}"done"}`)).toBe(1);
    expect(await figure(`${calls}"wrong"}`)).toBe(1);
    expect(await figure('svc_tool_seconds_count{tool="searchDevices"}')).toBe(2);

    expect(await figure('svc_ready')).toBe(1);
    expect(await figure('svc_bus_up')).toBe(1);
    expect(await figure('svc_bus_queue_messages{queue="svc.q.value"}')).toBe(0);
    expect(await figure('svc_bus_dead_letters')).toBe(0);
    expect(await figure('svc_driver_registered{driver="VirtualDriver"}')).toBe(1);
    expect(
      await figure('svc_driver_devices{driver="VirtualDriver",status="ONLINE"}'),
    ).toBeGreaterThan(0);
    expect(await figure('svc_actions_waiting')).toBe(0);
    expect(await figure('svc_database_waiting')).toBe(0);
    expect(await figure('svc_agent_budget_refused_total{budget="calls"}')).toBe(0);
    expect(await figure('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    expect(await figure('svc_http_seconds_count{part="data",status="2xx"}')).toBeGreaterThan(0);
  });

  it('have no label for a tenant, a device or a person', () => {
    const labels = Object.values(FIGURES).flatMap(({ labels: all }) => Object.keys(all));
    expect([...new Set(labels)].toSorted()).toEqual([
      'budget',
      'channel',
      'driver',
      'kind',
      'outcome',
      'part',
      'queue',
      'state',
      'status',
      'tool',
    ]);
  });

  it('are there for who has the token, at their own port alone', async () => {
    const answers = await Promise.all([
      ask(),
      ask('/metrics', null),
      ask('/metrics', `${TOKEN}x`),
      ask('/readyz'),
      ask('/metrics', TOKEN, 'POST'),
      fetch(`${world.base}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 401, 404, 405, 404]);
    expect(answers[0]?.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await answers[1]?.text()).not.toContain('svc_ready');
  });

  it('are those that the alert rules and the dashboard ask for', async () => {
    const text = await (await ask()).text();
    const known = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    );
    for (const file of ['alerts.yml', 'dashboard.json']) {
      const asked = readFileSync(`docs/monitoring/${file}`, 'utf8').matchAll(
        /\b(?:svc|nodejs|process)_[a-z0-9_]+/g,
      );
      const names = new Set([...asked].map(([name]) => name));
      expect(names.size).toBeGreaterThan(10);
      expect([...names].filter((name) => !known.has(name))).toEqual([]);
    }
  });
});

describe('without SVC_METRICS_PORT', () => {
  const plain = startedWorld();

  it('nothing answers figures', async () => {
    expect((await fetch(`${plain.base}/metrics`)).status).toBe(404);
  });
});
