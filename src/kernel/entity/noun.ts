import type { Schema } from '../../db/schema.ts';

/** The noun of each table with a tenant and an id, as messages name it. */
export const nouns = {
  svc_action: 'Action',
  svc_attachment: 'Attachment',
  svc_chat_budget: 'Budget',
  svc_chat_step: 'Request to a model',
  svc_command: 'Command',
  svc_command_attribute: 'Attribute',
  svc_command_attribute_config: 'Config',
  svc_command_param: 'Param',
  svc_device: 'Device',
  svc_driver: 'Driver',
  svc_driver_attribute: 'Attribute',
  svc_driver_attribute_config: 'Config',
  svc_entity_alarm: 'Alarm',
  svc_event: 'Event',
  svc_event_attribute: 'Attribute',
  svc_event_attribute_config: 'Config',
  svc_event_history: 'Event record',
  svc_event_param: 'Param',
  svc_firmware_package: 'Firmware package',
  svc_firmware_rollout: 'Roll-out',
  svc_group: 'Group',
  svc_group_bind: 'Group bind',
  svc_key: 'Key',
  svc_label: 'Label',
  svc_label_bind: 'Label bind',
  svc_mcp_connection: 'MCP connection',
  svc_message_template: 'Message',
  svc_model_config: 'Model config',
  svc_model_provider: 'Model provider',
  svc_notify: 'Notify',
  svc_notify_channel: 'Channel',
  svc_notify_channel_bind: 'Bind',
  svc_notify_history: 'Notification',
  svc_oauth_client: 'OAuth client',
  svc_point: 'Point',
  svc_point_attribute: 'Attribute',
  svc_point_attribute_config: 'Config',
  svc_profile: 'Profile',
  svc_role: 'Role',
  svc_role_principal_bind: 'Binding',
  svc_rule: 'Rule',
  svc_rule_state: 'Rule state',
  svc_service_account: 'Service account',
  svc_tenant_membership: 'Membership',
} as const satisfies { [T in keyof Schema]?: Schema[T] extends Owned ? string : never };

/** Of a tenant, with an id. */
type Owned = { tenantId: unknown; id: unknown };

export type NounTable = keyof typeof nouns;
