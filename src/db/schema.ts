import type {
  AgentHoldTable,
  AgentSwitchTable,
  ApiTable,
  ExternalIdentityTable,
  HeardTextTable,
  IdentityProviderTable,
  McpAuditLogTable,
  McpConnectionTable,
  McpConnectionToolTable,
  McpToolCatalogTable,
  MenuTable,
} from './schema/access.ts';
import type { ChatBudgetTable, ChatBudgetUseTable, ChatStepTable } from './schema/accounting.ts';
import type {
  ActionKeyTable,
  ActionStepTable,
  ActionTable,
  ApprovalSwitchTable,
  AttachmentTable,
  ChatHandleTable,
  ChatMemoryTable,
  ChatOriginTable,
  MessageTable,
  ModelConfigTable,
  ModelProviderTable,
  SessionTable,
  StandingApprovalTable,
  StandingUseTable,
} from './schema/agentic.ts';
import type {
  AlarmCommentTable,
  EntityAlarmTable,
  MaintenanceTable,
  EventHistoryTable,
  MessageTemplateTable,
  NotifyChannelBindTable,
  NotifyChannelTable,
  NotifyHistoryTable,
  NotifyLedgerTable,
  NotifyTable,
  RuleStateTable,
  RuleTable,
} from './schema/alarm.ts';
import type {
  ChangeLogTable,
  CommandHistoryTable,
  PointCommandHistoryTable,
  PointLatestTable,
  PointValueTable,
  RetentionClassTable,
  RetentionHoldTable,
  RetentionRunTable,
  ValueClosingTable,
  ValueDelayTable,
  ValueDeletionTable,
  ValueImportTable,
  ValueHourTable,
} from './schema/data.ts';
import type {
  FirmwareChunkTable,
  FirmwarePackageTable,
  FirmwareRolloutTable,
  FirmwareUpdateTable,
} from './schema/firmware.ts';
import type {
  AuditSealTable,
  IdentityAuditLogTable,
  IdentityNoticeTable,
  KeyTable,
  LocalCredentialTable,
  LoginNameTable,
  OauthClientTable,
  OauthStoreTable,
  PrincipalTable,
  ResourceTable,
  RolePrincipalBindTable,
  RoleResourceBindTable,
  RoleTable,
  ServiceAccountTable,
  TenantMembershipTable,
  TenantNameTable,
  TenantTable,
  TokenRevocationTable,
  UserTable,
} from './schema/identity.ts';
import type {
  CommandAttributeConfigTable,
  CommandAttributeTable,
  CommandParamTable,
  CommandTable,
  DeviceImportRefusalTable,
  DeviceImportSliceTable,
  DeviceImportTable,
  DeviceRegistrationTable,
  DeviceTable,
  DriverAttributeConfigTable,
  DriverAttributeTable,
  DriverTable,
  EndpointClaimTable,
  EntityStateTable,
  EventAttributeConfigTable,
  EventAttributeTable,
  EventParamTable,
  EventTable,
  GroupBindTable,
  GroupTable,
  LabelBindTable,
  LabelTable,
  PointAttributeConfigTable,
  PointAttributeTable,
  PointTable,
  ProfileTable,
  WaitingEndpointTable,
} from './schema/manager.ts';
import type { ManualPageTable, ManualTable } from './schema/manual.ts';
import type {
  DeadLetterTable,
  FeedHeadTable,
  FeedTable,
  ListeningTable,
  TenantTotalTable,
} from './schema/platform.ts';

/**
 * Table names as in the specification (docs/specification/identity.md); columns in camel case, by Kysely's
 * plugin.
 */
export type Schema = {
  svc_tenant: TenantTable;
  svc_principal: PrincipalTable;
  svc_user: UserTable;
  svc_local_credential: LocalCredentialTable;
  svc_tenant_membership: TenantMembershipTable;
  svc_tenant_name: TenantNameTable;
  svc_service_account: ServiceAccountTable;
  svc_role: RoleTable;
  svc_resource: ResourceTable;
  svc_role_principal_bind: RolePrincipalBindTable;
  svc_role_resource_bind: RoleResourceBindTable;
  svc_token_revocation: TokenRevocationTable;
  svc_oauth_client: OauthClientTable;
  svc_login_name: LoginNameTable;
  svc_oauth_store: OauthStoreTable;
  svc_identity_audit_log: IdentityAuditLogTable;
  svc_audit_seal: AuditSealTable;
  svc_identity_provider: IdentityProviderTable;
  svc_external_identity: ExternalIdentityTable;
  svc_api: ApiTable;
  svc_menu: MenuTable;
  svc_agent_switch: AgentSwitchTable;
  svc_agent_hold: AgentHoldTable;
  svc_identity_notice: IdentityNoticeTable;
  svc_mcp_connection: McpConnectionTable;
  svc_mcp_connection_tool: McpConnectionToolTable;
  svc_mcp_tool_catalog: McpToolCatalogTable;
  svc_mcp_audit_log: McpAuditLogTable;
  svc_key: KeyTable;
  svc_driver: DriverTable;
  svc_driver_attribute: DriverAttributeTable;
  svc_point_attribute: PointAttributeTable;
  svc_profile: ProfileTable;
  svc_point: PointTable;
  svc_device: DeviceTable;
  svc_device_registration: DeviceRegistrationTable;
  svc_waiting_endpoint: WaitingEndpointTable;
  svc_firmware_package: FirmwarePackageTable;
  svc_firmware_chunk: FirmwareChunkTable;
  svc_firmware_rollout: FirmwareRolloutTable;
  svc_firmware_update: FirmwareUpdateTable;
  svc_device_import: DeviceImportTable;
  svc_device_import_slice: DeviceImportSliceTable;
  svc_device_import_refusal: DeviceImportRefusalTable;
  svc_driver_attribute_config: DriverAttributeConfigTable;
  svc_endpoint_claim: EndpointClaimTable;
  svc_point_attribute_config: PointAttributeConfigTable;
  svc_command: CommandTable;
  svc_event: EventTable;
  svc_command_attribute: CommandAttributeTable;
  svc_event_attribute: EventAttributeTable;
  svc_command_param: CommandParamTable;
  svc_event_param: EventParamTable;
  svc_command_attribute_config: CommandAttributeConfigTable;
  svc_event_attribute_config: EventAttributeConfigTable;
  svc_group: GroupTable;
  svc_group_bind: GroupBindTable;
  svc_label: LabelTable;
  svc_label_bind: LabelBindTable;
  svc_entity_state: EntityStateTable;
  svc_listening: ListeningTable;
  svc_tenant_total: TenantTotalTable;
  svc_dead_letter: DeadLetterTable;
  svc_feed: FeedTable;
  svc_feed_head: FeedHeadTable;
  svc_point_value: PointValueTable;
  svc_value_hour: ValueHourTable;
  svc_value_delay: ValueDelayTable;
  svc_value_deletion: ValueDeletionTable;
  svc_value_import: ValueImportTable;
  svc_retention_class: RetentionClassTable;
  svc_retention_hold: RetentionHoldTable;
  svc_retention_run: RetentionRunTable;
  svc_value_closing: ValueClosingTable;
  svc_change_log: ChangeLogTable;
  svc_point_latest: PointLatestTable;
  svc_point_command_history: PointCommandHistoryTable;
  svc_command_history: CommandHistoryTable;
  svc_session: SessionTable;
  svc_message: MessageTable;
  svc_chat_memory: ChatMemoryTable;
  svc_chat_handle: ChatHandleTable;
  svc_attachment: AttachmentTable;
  svc_manual: ManualTable;
  svc_manual_page: ManualPageTable;
  svc_action: ActionTable;
  svc_action_key: ActionKeyTable;
  svc_action_step: ActionStepTable;
  svc_approval_switch: ApprovalSwitchTable;
  svc_chat_origin: ChatOriginTable;
  svc_standing_approval: StandingApprovalTable;
  svc_standing_use: StandingUseTable;
  svc_heard_text: HeardTextTable;
  svc_model_provider: ModelProviderTable;
  svc_chat_budget: ChatBudgetTable;
  svc_chat_budget_use: ChatBudgetUseTable;
  svc_chat_step: ChatStepTable;
  svc_model_config: ModelConfigTable;
  svc_event_history: EventHistoryTable;
  svc_entity_alarm: EntityAlarmTable;
  svc_alarm_comment: AlarmCommentTable;
  svc_maintenance: MaintenanceTable;
  svc_rule: RuleTable;
  svc_rule_state: RuleStateTable;
  svc_notify: NotifyTable;
  svc_notify_channel: NotifyChannelTable;
  svc_notify_channel_bind: NotifyChannelBindTable;
  svc_message_template: MessageTemplateTable;
  svc_notify_history: NotifyHistoryTable;
  svc_notify_ledger: NotifyLedgerTable;
};
