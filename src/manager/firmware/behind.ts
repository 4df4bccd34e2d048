import type { Queries } from '../../db/connect.ts';
import { identitiesOf } from './target.ts';

/** Devices of one model that run one version, and a newer one that there is. */
export type Behind = {
  model: string;
  version: string;
  newest: string;
  /** Of a package for that model; otherwise of more than half of the devices of the model. */
  isPackage: boolean;
  devices: number;
  /** One of them. */
  deviceId: string;
};

const MAX_PACKAGES = 200;

/** Versions in their order: 2.9 before 2.10. */
const inOrder = new Intl.Collator('en', { numeric: true }).compare;

/** The firmware that is behind the newest package for its model, or behind that of most devices of the model; most devices first. */
export async function behindIn(q: Queries, tenantId: string): Promise<Behind[]> {
  const [packages, identities] = await Promise.all([
    q
      .selectFrom('svc_firmware_package')
      .select(['packageModel', 'packageVersion'])
      .where('tenantId', '=', tenantId)
      .where('packageModel', '!=', '')
      .orderBy('id', 'desc')
      .limit(MAX_PACKAGES)
      .execute(),
    identitiesOf(q, tenantId, null),
  ]);
  const devices = [...identities].flatMap(([deviceId, { model, version }]) =>
    model === null || version === null ? [] : [{ deviceId, model, version }],
  );
  const found: Behind[] = [];
  for (const [model, all] of Map.groupBy(devices, (one) => one.model)) {
    const versions = Map.groupBy(all, ({ version }) => version);
    const packed = packages.flatMap((one) =>
      one.packageModel === model ? one.packageVersion : [],
    );
    const usual = [...versions].flatMap(([version, of]) =>
      of.length * 2 > all.length ? version : [],
    );
    const isPackage = packed.length > 0;
    const newest = (isPackage ? packed : usual).toSorted(inOrder).at(-1);
    if (newest === undefined) continue;
    for (const [version, of] of versions) {
      const [first] = of;
      if (!first || inOrder(version, newest) >= 0) continue;
      found.push({
        model,
        version,
        newest,
        isPackage,
        devices: of.length,
        deviceId: first.deviceId,
      });
    }
  }
  return found.toSorted((a, b) => b.devices - a.devices || inOrder(a.version, b.version));
}
