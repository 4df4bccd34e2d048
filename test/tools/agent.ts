import { expect } from 'vitest';
import { z } from 'zod';

import type { Caller, Tool } from '../../src/app.ts';
import { inputSchema, outputSchema } from '../../src/core/json-schema.ts';
import { tools } from '../../tools/index.ts';
import type { Session } from '../support/session.ts';

/** A program that may use every tool in the tenant of `session`. */
export const agentIn = (session: Session): Caller => ({
  tenantId: session.tenantId,
  principalId: '1',
  principalType: 'SERVICE_ACCOUNT',
  name: 'agent',
  via: 'oauth',
  clientId: 'test',
  scopes: ['svc:read', 'svc:read-device', 'svc:propose'],
  permissions: new Set(['*']),
});

export function toolNamed(name: string): Tool {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`no tool is called ${name}`);
  return tool;
}

/** The tool as the model sees it, reviewed as a file of its own. */
export async function expectAsReviewed(name: string): Promise<void> {
  const { title, description, annotations, permission, scope, ...tool } = toolNamed(name);
  const seen = {
    name,
    title,
    description,
    permission,
    scope,
    annotations,
    inputSchema: inputSchema(tool),
    outputSchema: outputSchema(tool),
  };
  await expect(`${JSON.stringify(seen, null, 2)}\n`).toMatchFileSnapshot(
    `./__snapshots__/${name}.json`,
  );
}

const Id = z.string().regex(/^\d+$/);

export type Site = { driverId: string; profileId: string; pointId: string; deviceId: string };

/** A driver, a profile with one writable point of 5 to 30 °C, and a device, made over REST. */
export async function onboard(session: Session, name: string): Promise<Site> {
  const manager = '/api/v3/manager';
  const add = async (noun: string, body: unknown) =>
    Id.parse(await session.data(`${manager}/${noun}/add`, body));
  const driverId = await add('driver', {
    driverName: `${name} driver`,
    driverCode: `${name}-driver`,
    serviceName: `svc-driver-${name}`,
    serviceHost: '127.0.0.1',
  });
  const profileId = await add('profile', { profileName: `${name} profile` });
  const pointId = await add('point', {
    pointName: `${name} set-point`,
    pointTypeFlag: 'DOUBLE',
    rwFlag: 'READ_WRITE',
    valueDecimal: 2,
    minValue: 5,
    maxValue: 30,
    unit: '°C',
    profileId,
  });
  const deviceId = await add('device', { deviceName: `${name} device`, driverId, profileId });
  return { driverId, profileId, pointId, deviceId };
}

/** What every search tool answers. */
export const Page = z.object({
  total: z.number(),
  returned: z.number(),
  nextCursor: z.string().nullable(),
  records: z.array(z.record(z.string(), z.unknown())),
});
