import { TextField } from '../../part/control/field.tsx';
import { Loaded } from '../../part/loaded.tsx';
import { newDeviceWords } from '../../word/new-device.ts';
import { AttributeField } from './attribute-field.tsx';
import { type Attribute, change, draft } from './draft.ts';
import { deviceValue, isIdentity, useDeviceAttributes } from './facts.ts';

/** Its name, and what its driver has to know of it. */
export function DeviceStep() {
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
          const rest = all.filter((attribute) => !isIdentity(attribute));
          return (
            <>
              {all.filter(isIdentity).map(field)}
              {rest.length > 0 && (
                <details>
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
