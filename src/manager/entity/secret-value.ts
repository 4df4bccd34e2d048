import type { App } from '../../kernel/app/app.ts';
import { isSealed, seal, unseal } from '../../kernel/secret.ts';
import type { AttributeKind } from './value-type.ts';

type Ext = Record<string, unknown>;

/** A config, by what never changes of it: its value is sealed before its row has an id. */
export type ConfigPlace = {
  kind: AttributeKind;
  tenantId: string;
  deviceId: string;
  attributeId: string;
  /** The point, command or event; none for an attribute of the driver itself. */
  partId?: string | undefined;
};

/** Whether no answer may contain values of an attribute with this extension. */
export function isSecret({ security }: Ext): boolean {
  return (
    typeof security === 'object' &&
    security !== null &&
    'secret' in security &&
    security.secret === true
  );
}

/** Of a secret attribute, except one by which the database itself finds or judges devices. */
export const isStoredSealed = (ext: Ext): boolean =>
  isSecret(ext) && ext['identity'] === undefined && ext['provenBy'] === undefined;

const placeOf = ({ kind, tenantId, deviceId, attributeId, partId = '' }: ConfigPlace) => ({
  table: `svc_${kind}_attribute_config`,
  tenantId,
  id: `${deviceId}:${attributeId}:${partId}`,
});

/** The value as its config stores it: sealed for this config where its attribute is secret. */
export const storedValue = (
  { keys }: Pick<App, 'keys'>,
  place: ConfigPlace,
  ext: Ext,
  value: string,
): string =>
  value !== '' && isStoredSealed(ext) ? seal(keys.attributeValue, placeOf(place), value) : value;

/**
 * The value of a config, sealed or from before its attribute was secret; null for one that is sealed for another
 * config or under another `SVC_SECRET_KEY`.
 */
export function openValue(
  { keys }: Pick<App, 'keys'>,
  place: ConfigPlace,
  ext: Ext,
  stored: string,
): string | null {
  if (!isSealed(stored)) return stored;
  // Any text can be the value of an attribute that is no secret.
  return unseal(keys.attributeValue, placeOf(place), stored) ?? (isSecret(ext) ? null : stored);
}
