type Add = (path: string, body: object) => Promise<string>;
type Defined = Record<'driver' | 'device' | 'command' | 'event', string>;

/** What commands and events have besides themselves, and where a device is sorted in. */
export async function populateDefinitions(add: Add, { driver, device, command, event }: Defined) {
  const manager = '/api/v3/manager';
  const attribute = { attributeTypeFlag: 'STRING', driverId: driver };
  const param = { paramName: 'volume', paramCode: 'volume', paramTypeFlag: 'DOUBLE' };
  const commandAttribute = await add(`${manager}/command_attribute/add`, {
    ...attribute,
    attributeName: 'verb',
    attributeCode: 'verb',
  });
  const eventAttribute = await add(`${manager}/event_attribute/add`, {
    ...attribute,
    attributeName: 'topic',
    attributeCode: 'topic',
  });
  const config = { deviceId: device, configValue: '1' };
  const ofDevices = { entityTypeFlag: 'DEVICE' };
  const group = await add(`${manager}/group/add`, { groupName: 'hall', groupTypeFlag: 'DEVICE' });
  const label = await add(`${manager}/label/add`, { ...ofDevices, labelName: 'hot' });
  const bound = { ...ofDevices, entityId: device };
  return {
    group,
    label,
    groupBind: await add(`${manager}/group_bind/add`, { ...bound, groupId: group }),
    labelBind: await add(`${manager}/label_bind/add`, { ...bound, labelId: label }),
    commandAttribute,
    eventAttribute,
    commandAttributeConfig: await add(`${manager}/command_attribute_config/add`, {
      ...config,
      attributeId: commandAttribute,
      commandId: command,
    }),
    eventAttributeConfig: await add(`${manager}/event_attribute_config/add`, {
      ...config,
      attributeId: eventAttribute,
      eventId: event,
    }),
    commandParam: await add(`${manager}/command_param/add`, { ...param, commandId: command }),
    eventParam: await add(`${manager}/event_param/add`, { ...param, eventId: event }),
  };
}
