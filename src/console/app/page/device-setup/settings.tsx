import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { call } from '../../client/call.ts';
import { type Failure, failureOf } from '../../client/failure.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { useUnsaved } from '../../client/unsaved.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { isConflict, Loaded, RefusedNote } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Note } from '../../part/value/mark.tsx';
import { editDeviceWords } from '../../word/device-edit.ts';
import { partWords } from '../../word/part.ts';
import { AttributeField } from './attribute-field.tsx';
import { isSecret, useDeviceAttributes, usePointAttributes } from './facts.ts';

type Attribute = Schemas['Attribute'];
type Config = Schemas['AttributeConfig'];
type Kind = 'driver' | 'point';
/** What a setting was before a change; no value: that is not known. */
type Earlier = { configId: string; value: string | undefined } | null;
type Given = { device: Schemas['Device']; earlier: Earlier; again(): void };

/** What the driver has to know of a device and of each of its points. */
export function Settings(given: Given) {
  return (
    <>
      {may('svc-center-manager:driver_attribute_config:list') && <OfDevice {...given} />}
      {may('svc-center-manager:point_attribute_config:list') && <OfPoints {...given} />}
    </>
  );
}

function OfDevice({ device, earlier, again }: Given) {
  const w = editDeviceWords();
  const attributes = useDeviceAttributes(device.driverId);
  const configs = useAsk('GET /manager/driver_attribute_config/list_by_device_id', {
    deviceId: device.id,
  });
  if (attributes.data?.length === 0) return null;
  return (
    <Section title={w.ofDevice}>
      <p class="quiet">{w.ofDeviceMeans}</p>
      <Loaded asked={attributes} rows={3}>
        {(all) => (
          <Loaded asked={configs} rows={3}>
            {(stored) => (
              <Fields
                kind="driver"
                attributes={all}
                configs={stored}
                place={{ deviceId: device.id }}
                title={w.ofDevice}
                earlier={earlier}
                again={() => {
                  configs.again();
                  again();
                }}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}

function OfPoints({ device, earlier, again }: Given) {
  const w = editDeviceWords();
  const attributes = usePointAttributes(device.driverId);
  const points = useAsk('GET /manager/point/list_by_device_id', { deviceId: device.id });
  const configs = useAsk('GET /manager/point_attribute_config/list_by_device_id', {
    deviceId: device.id,
  });
  if (attributes.data?.length === 0 || points.data?.length === 0) return null;
  return (
    <Section title={w.ofPoints}>
      <Loaded asked={attributes} rows={3}>
        {(all) => (
          <Loaded asked={points} rows={3}>
            {(rows) => (
              <Loaded asked={configs} rows={3}>
                {(stored) =>
                  rows.map(({ id, pointName }) => (
                    <Fields
                      key={id}
                      kind="point"
                      attributes={all}
                      configs={stored.filter(({ pointId }) => pointId === id)}
                      place={{ deviceId: device.id, pointId: id }}
                      title={pointName}
                      earlier={earlier}
                      again={() => {
                        configs.again();
                        again();
                      }}
                    />
                  ))
                }
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}

type FieldsGiven = {
  kind: Kind;
  attributes: readonly Attribute[];
  configs: readonly Config[];
  place: { deviceId: string; pointId?: string };
  title: string;
  earlier: Earlier;
  again(): void;
};

/** The settings of one thing, saved together: only those that were changed, each against the version that was seen. */
function Fields({ kind, attributes, configs, place, title, earlier, again }: FieldsGiven) {
  const w = editDeviceWords();
  const [entered, setEntered] = useState(() => enteredIn(configs, earlier));
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const storedOf = (attribute: Attribute): Config | undefined =>
    configs.find(({ attributeId }) => attributeId === attribute.id);
  const shownOf = (attribute: Attribute): string =>
    isSecret(attribute) ? '' : (storedOf(attribute)?.configValue ?? attribute.defaultValue);
  const changed = attributes.filter(({ id }) => entered[id] !== undefined);
  useUnsaved(changed.length > 0);
  const set = (attribute: Attribute, text: string): void =>
    setEntered((before) =>
      text === shownOf(attribute)
        ? without(before, attribute.id)
        : { ...before, [attribute.id]: text },
    );
  const save = async (): Promise<void> => {
    setRunning(true);
    setFailure(null);
    try {
      for (const attribute of changed) {
        await store(kind, place, attribute, storedOf(attribute), entered[attribute.id] ?? '');
        setEntered((before) => without(before, attribute.id));
      }
      announce(w.saved(title));
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setRunning(false);
      again();
    }
  };
  const maySave = may(`svc-center-manager:${kind}_attribute_config:update`);
  return (
    // Those of the device have the heading of their section for a legend.
    <fieldset class="panel" aria-label={title}>
      {kind === 'point' && (
        <legend>
          <bdi>{title}</bdi>
        </legend>
      )}
      <div class="fields">
        {attributes.map((attribute) => (
          <Setting
            key={attribute.id}
            attribute={attribute}
            isStored={storedOf(attribute) !== undefined}
            value={entered[attribute.id] ?? shownOf(attribute)}
            onChange={(text) => set(attribute, text)}
          />
        ))}
      </div>
      {isConflict(failure) ? (
        <Note tone="warning" shape="triangle" role="alert">
          {w.changedSetting}
        </Note>
      ) : (
        <RefusedNote failure={failure} />
      )}
      {maySave && (
        <div class="row">
          <Button
            kind="primary"
            isBusy={isRunning}
            isOff={changed.length === 0}
            label={`${partWords().save}: ${title}`}
            onPress={() => void save()}
          >
            {partWords().save}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

/** What is entered at first: the earlier value of one of these settings, where it is other than the stored one. */
function enteredIn(configs: readonly Config[], earlier: Earlier): Readonly<Record<string, string>> {
  const config = configs.find(({ id }) => id === earlier?.configId);
  const value = earlier?.value;
  if (!config || value === undefined || value === config.configValue) return {};
  return { [config.attributeId]: value };
}

const without = (entered: Readonly<Record<string, string>>, id: string) =>
  Object.fromEntries(Object.entries(entered).filter(([each]) => each !== id));

/** Adds, changes or (an empty text where the driver has none) takes away one setting. */
async function store(
  kind: Kind,
  place: FieldsGiven['place'],
  { id: attributeId, defaultValue }: Attribute,
  stored: Config | undefined,
  configValue: string,
): Promise<void> {
  const path = `/manager/${kind}_attribute_config` as const;
  if (!stored) {
    const { pointId = '', deviceId } = place;
    if (kind === 'driver')
      await call('POST /manager/driver_attribute_config/add', {
        deviceId,
        attributeId,
        configValue,
      });
    else
      await call('POST /manager/point_attribute_config/add', {
        deviceId,
        pointId,
        attributeId,
        configValue,
      });
  } else if (configValue === '' && defaultValue === '')
    await call(`POST ${path}/delete`, { id: stored.id });
  else await call(`POST ${path}/update`, { id: stored.id, version: stored.version, configValue });
}

type SettingGiven = {
  attribute: Attribute;
  isStored: boolean;
  value: string;
  onChange(text: string): void;
};

/** One setting, with what its driver says of it; of a secret only whether it is stored. */
function Setting({ attribute, isStored, value, onChange }: SettingGiven) {
  const w = editDeviceWords();
  const hint = isSecret(attribute) ? (isStored ? w.secretStays : w.secret) : undefined;
  // A stored secret is not shown, and an empty field leaves it.
  const isNeeded = !(isSecret(attribute) && isStored);
  return <AttributeField {...{ attribute, hint, isNeeded, value, onChange }} />;
}
