import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { slot } from '../../kernel/slot.ts';
import { EntityType } from '../entity/entity-type.ts';
import { type Codes, codesOf } from './code.ts';
import { type Named, type NameList, nameList } from './name-list.ts';
import { emptyVocabulary, type Vocabulary } from './vocabulary.ts';

/** Of all tenants together; the tenant that was asked for longest ago goes first. */
const MAX_NAMES = 100_000;

export type DeviceName = Named & { readonly profileId: string };
export type PointName = Named & { readonly profileId: string };

/** The names of one tenant, as they were at `version` (sql/0256_version.sql). */
export type PlantNames = {
  readonly version: string;
  readonly vocabulary: Vocabulary;
  readonly devices: NameList<DeviceName>;
  readonly points: NameList<PointName>;
  readonly profiles: NameList;
  readonly drivers: NameList;
  /** Groups and labels of devices. */
  readonly groups: NameList;
  readonly labels: NameList;
  /** Devices by their codes. */
  readonly codes: Codes<DeviceName>;
  /** Places of the devices and points of a profile. */
  readonly devicesOf: ReadonlyMap<string, readonly number[]>;
  readonly pointsOf: ReadonlyMap<string, readonly number[]>;
  readonly size: number;
};

export const PLANT_NAMES = slot(() => ({
  known: new Map<string, PlantNames>(),
  loading: new Map<string, Promise<PlantNames>>(),
}));

/** From memory, or with a trip of its own; whoever uses them compares their version (`relyingOnNames`). */
export async function plantNames(app: App, tenantId: string): Promise<PlantNames> {
  const { known, loading } = app.of(PLANT_NAMES);
  const names = known.get(tenantId);
  if (names) {
    // To the end: the first one is dropped first.
    known.delete(tenantId);
    known.set(tenantId, names);
    return names;
  }
  const running = loading.get(tenantId) ?? load(app, tenantId);
  loading.set(tenantId, running);
  try {
    return await running;
  } finally {
    if (loading.get(tenantId) === running) loading.delete(tenantId);
  }
}

async function load(app: App, tenantId: string): Promise<PlantNames> {
  const names = await inOneTrip(app.db, tenantId, (q) => read(q, tenantId));
  const { known } = app.of(PLANT_NAMES);
  known.set(tenantId, names);
  let size = 0;
  for (const each of known.values()) size += each.size;
  for (const [oldest, { size: freed }] of known) {
    if (size <= MAX_NAMES || oldest === tenantId) break;
    known.delete(oldest);
    size -= freed;
  }
  return names;
}

/** The version first: names that change after it are read again by the first call that compares it. */
async function read(q: Queries, tenantId: string): Promise<PlantNames> {
  const limit = MAX_NAMES + 1;
  const [version, devices, points, profiles, drivers, groups, labels] = await Promise.all([
    sql<{ version: string }>`select svc_name_version(${tenantId}) as version`.execute(q),
    q
      .selectFrom('svc_device')
      .select(['id', 'deviceName as name', 'profileId', 'deviceCode as code'])
      .where('tenantId', '=', tenantId)
      .orderBy('id')
      .limit(limit)
      .execute(),
    q
      .selectFrom('svc_point')
      .select(['id', 'pointName as name', 'profileId'])
      .where('tenantId', '=', tenantId)
      .orderBy('id')
      .limit(limit)
      .execute(),
    q
      .selectFrom('svc_profile')
      .select(['id', 'profileName as name'])
      .where('tenantId', '=', tenantId)
      .orderBy('id')
      .limit(limit)
      .execute(),
    q
      .selectFrom('svc_driver')
      .select(['id', 'driverName as name'])
      .where('tenantId', '=', tenantId)
      .orderBy('id')
      .limit(limit)
      .execute(),
    q
      .selectFrom('svc_group')
      .select(['id', 'groupName as name'])
      .where('tenantId', '=', tenantId)
      .where('entityTypeFlag', '=', EntityType.DEVICE)
      .orderBy('id')
      .limit(limit)
      .execute(),
    q
      .selectFrom('svc_label')
      .select(['id', 'labelName as name'])
      .where('tenantId', '=', tenantId)
      .where('entityTypeFlag', '=', EntityType.DEVICE)
      .orderBy('id')
      .limit(limit)
      .execute(),
  ]);
  const all = { devices, points, profiles, drivers, groups, labels };
  return indexOf(version.rows[0]?.version ?? '', all);
}

type All = {
  devices: readonly (DeviceName & { readonly code?: string })[];
  points: readonly PointName[];
} & Record<'profiles' | 'drivers' | 'groups' | 'labels', readonly Named[]>;

/** Throws Unprocessable for more names than one process keeps. */
export function indexOf(version: string, all: All): PlantNames {
  const { devices, points, profiles, drivers, groups, labels } = all;
  const size = Object.values(all).reduce((sum, { length }) => sum + length, 0);
  if (size > MAX_NAMES)
    throw new Unprocessable('This tenant has too many names to find one by; give the id instead');
  const vocabulary = emptyVocabulary();
  return {
    version,
    vocabulary,
    devices: nameList(vocabulary, devices),
    points: nameList(vocabulary, points),
    profiles: nameList(vocabulary, profiles),
    drivers: nameList(vocabulary, drivers),
    groups: nameList(vocabulary, groups),
    labels: nameList(vocabulary, labels),
    codes: codesOf(devices.map((named) => ({ named, code: named.code ?? '' }))),
    devicesOf: byProfile(devices),
    pointsOf: byProfile(points),
    size,
  };
}

function byProfile(all: readonly { profileId: string }[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, { profileId }] of all.entries()) {
    const known = places.get(profileId);
    if (known) known.push(place);
    else places.set(profileId, [place]);
  }
  return places;
}
