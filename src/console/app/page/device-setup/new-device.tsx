import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { query, setQuery } from '../../client/route.ts';
import { useUnsaved } from '../../client/unsaved.ts';
import { Button } from '../../part/control/button.tsx';
import { TextField } from '../../part/control/field.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Page, Section } from '../../part/page.tsx';
import { newDeviceWords } from '../../word/new-device.ts';
import { AttributeField } from './attribute-field.tsx';
import { type Attribute, change, draft, made, startAgain } from './draft.ts';
import { deviceValue, isIdentity, useDeviceAttributes, useDrivers } from './facts.ts';
import { FirstValue } from './first-value.tsx';
import { KindStep } from './step-kind.tsx';
import { PointsStep } from './step-points.tsx';
import { ReviewStep } from './step-review.tsx';

const STEPS = ['driver', 'kind', 'device', 'points', 'review'] as const;
type Step = (typeof STEPS)[number];
const CONTENT: Record<Step, ComponentType> = {
  driver: DriverStep,
  kind: KindStep,
  device: DeviceStep,
  points: PointsStep,
  review: ReviewStep,
};

/** Whether what the step asks for is there. */
const isWhole = (step: Step): boolean => {
  const { driverId, profileId, profileName, points, deviceName } = draft.value;
  if (step === 'driver') return driverId !== '';
  if (step === 'kind')
    return (
      profileId !== '' ||
      (profileName !== '' && points.length > 0 && points.every(({ name }) => name !== ''))
    );
  return step !== 'device' || deviceName !== '';
};

/** `/devices/new`: from the driver to the first value. The step is in the address, what is entered is kept. */
export function NewDevice() {
  const deviceId = query.value.get('made');
  return deviceId === null ? <Steps /> : <FirstValue deviceId={deviceId} />;
}

function Steps() {
  const w = newDeviceWords();
  const wanted = STEPS.findIndex((step) => step === query.value.get('step'));
  // A shared address may lead to a step that others have to come before.
  const missing = STEPS.findIndex((step) => !isWhole(step));
  const at = Math.max(0, missing < 0 ? wanted : Math.min(wanted, missing));
  const step = STEPS[at] ?? 'driver';
  const Content = CONTENT[step];
  const next = STEPS[at + 1];
  const title = useRef<HTMLDivElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) title.current?.focus();
    shown.current = step;
  }, [step]);
  const hasBegun = draft.value.driverId !== '' || Object.keys(made.value).length > 0;
  useUnsaved(hasBegun, { isKept: true });
  return (
    <Page
      state={<span class="quiet tabular">{w.stepOf(at + 1, STEPS.length)}</span>}
      actions={hasBegun && <Button onPress={() => over()}>{w.startOver}</Button>}
    >
      <ol class="row" aria-label={w.steps}>
        {STEPS.map((each, index) => (
          <li key={each}>
            {index < at ? (
              <Link to={`/devices/new?step=${each}`}>{w.step[each]}</Link>
            ) : (
              <span class={index === at ? 'strong' : 'quiet'}>{w.step[each]}</span>
            )}
          </li>
        ))}
      </ol>
      <div ref={title} tabIndex={-1} class="stack" role="group" aria-label={w.step[step]}>
        <Section title={w.step[step]}>
          <p class="quiet">{w.lead[step]}</p>
          <Content />
        </Section>
        <div class="row">
          {at > 0 && (
            <Button onPress={() => setQuery({ step: STEPS[at - 1] ?? null }, false)}>
              {w.back}
            </Button>
          )}
          {next && (
            <Button
              kind="primary"
              isOff={!isWhole(step)}
              onPress={() => setQuery({ step: next }, false)}
            >
              {w.next}
            </Button>
          )}
        </div>
      </div>
    </Page>
  );
}

function over(): void {
  startAgain();
  setQuery({ step: null }, false);
}

/** Its name, and what its driver has to know of it. */
function DeviceStep() {
  const w = newDeviceWords().device;
  const { driverId, deviceName, ofDevice } = draft.value;
  const attributes = useDeviceAttributes(driverId);
  const field = (attribute: Attribute) => (
    <AttributeField
      key={attribute.id}
      attribute={attribute}
      value={deviceValue(attribute)}
      onChange={(value) => change({ ofDevice: { ...ofDevice, [attribute.id]: value } })}
    />
  );
  return (
    <>
      <TextField
        label={w.name}
        value={deviceName}
        onChange={(name) => change({ deviceName: name })}
        autocomplete="off"
      />
      <Loaded asked={attributes}>
        {(all) => {
          const identity = all.filter(isIdentity);
          const rest = all.filter((attribute) => !isIdentity(attribute));
          return (
            <>
              {identity.map(field)}
              {rest.length > 0 && (
                // Without an identity they say where the device is.
                <details open={identity.length === 0}>
                  <summary>{w.more}</summary>
                  <div class="fields">{rest.map(field)}</div>
                </details>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** By what the device speaks. */
function DriverStep() {
  const w = newDeviceWords();
  const drivers = useDrivers();
  const isFixed = 'device' in made.value;
  return (
    <Loaded asked={drivers} none={<Empty title={w.driver.none} />}>
      {({ records }) => (
        <fieldset class="choices">
          <legend class="hidden">{w.step.driver}</legend>
          {records.map(({ id, driverName, driverCode, remark }) => (
            <label key={id} class="check">
              <input
                type="radio"
                name="driver"
                checked={draft.value.driverId === id}
                disabled={isFixed}
                onChange={() => pick(id)}
              />
              <span>
                <bdi>{driverName}</bdi>
                <small class="quiet">{saidOf(driverCode) ?? <bdi>{remark}</bdi>}</small>
              </span>
            </label>
          ))}
        </fieldset>
      )}
    </Loaded>
  );
}

/** What is known here of the drivers that come with the platform. */
function saidOf(driverCode: string): string | undefined {
  const { lwm2m, virtual, mqtt, http } = newDeviceWords().driver;
  return new Map([
    ['Lwm2mDriver', lwm2m],
    ['VirtualDriver', virtual],
    ['MqttDriver', mqtt],
    ['HttpDriver', http],
  ]).get(driverCode);
}

/** Attributes are of one driver: what was entered for another is of no use. */
function pick(driverId: string): void {
  change({ driverId, ofDevice: {}, ofPoints: {} });
}
