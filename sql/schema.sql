-- What sql/*.sql add up to; made and kept true by test/conformance/schema.test.ts.

-- columns
svc_action.id bigint not null identity
svc_action.action_id uuid not null
svc_action.tenant_id bigint not null
svc_action.user_id bigint not null
svc_action.user_name text not null default ''::text
svc_action.proposed_via text not null
svc_action.client_id text not null default ''::text
svc_action.conversation_id text not null default ''::text
svc_action.tool_call_id text not null default ''::text
svc_action.action_type text not null default 'writePointValue'::text
svc_action.title text not null default ''::text
svc_action.description text not null default ''::text
svc_action.device_id bigint not null
svc_action.point_id bigint not null
svc_action.payload jsonb not null
svc_action.digest text not null
svc_action.status smallint not null default 0
svc_action.expire_time timestamp with time zone not null
svc_action.decided_by bigint not null default 0
svc_action.decided_name text not null default ''::text
svc_action.decided_time timestamp with time zone
svc_action.comment text not null default ''::text
svc_action.command_id uuid
svc_action.create_time timestamp with time zone not null default now()
svc_action.operate_time timestamp with time zone not null default now()
svc_action.told boolean not null default false
svc_action.digest_required boolean not null default false
svc_action.approval_id uuid
svc_action.approval_left integer
svc_action.result jsonb
svc_action_key.tenant_id bigint not null
svc_action_key.user_id bigint not null
svc_action_key.tool text not null
svc_action_key.key text not null
svc_action_key.arguments text not null
svc_action_key.action_id uuid not null
svc_action_key.create_time timestamp with time zone not null
svc_action_step.tenant_id bigint not null
svc_action_step.action_id uuid not null
svc_action_step.step smallint not null
svc_action_step.device_id bigint not null
svc_action_step.point_id bigint not null
svc_action_step.command_id uuid
svc_action_step.refusal text not null default ''::text
svc_agent_hold.tenant_id bigint not null
svc_agent_hold.principal_id bigint not null
svc_agent_hold.principal_name text not null default ''::text
svc_agent_hold.place text not null
svc_agent_hold.source text not null default ''::text
svc_agent_hold.held_flag smallint not null
svc_agent_hold.create_time timestamp with time zone not null default now()
svc_agent_switch.tenant_id bigint not null
svc_agent_switch.mode text not null
svc_agent_switch.reason text not null default ''::text
svc_agent_switch.operator_id bigint not null default 0
svc_agent_switch.operator_name text not null default ''::text
svc_agent_switch.operate_time timestamp with time zone not null default now()
svc_agent_switch.hold_flag smallint not null default 0
svc_agent_usage.tenant_id bigint not null
svc_agent_usage.kind text not null
svc_agent_usage.subject_id bigint not null
svc_agent_usage.bucket timestamp with time zone not null
svc_agent_usage.calls bigint not null default 0
svc_agent_usage.device_reads bigint not null default 0
svc_agent_usage.proposals bigint not null default 0
svc_agent_usage.output_tokens bigint not null default 0
svc_alarm_comment.id bigint not null identity
svc_alarm_comment.tenant_id bigint not null
svc_alarm_comment.alarm_id bigint not null
svc_alarm_comment.comment_text text not null
svc_alarm_comment.creator_id bigint not null default 0
svc_alarm_comment.creator_name text not null default ''::text
svc_alarm_comment.create_time timestamp with time zone not null default now()
svc_api.id bigint not null identity
svc_api.service_name text not null default ''::text
svc_api.api_type_flag smallint not null default 0
svc_api.api_name text not null default ''::text
svc_api.api_code text not null
svc_api.api_group text not null default ''::text
svc_api.api_ext jsonb not null default '{}'::jsonb
svc_api.enable_flag smallint not null default 0
svc_api.remark text not null default ''::text
svc_api.creator_id bigint not null default 0
svc_api.creator_name text not null default ''::text
svc_api.create_time timestamp with time zone not null default now()
svc_api.operator_id bigint not null default 0
svc_api.operator_name text not null default ''::text
svc_api.operate_time timestamp with time zone not null default now()
svc_approval_switch.tenant_id bigint not null
svc_approval_switch.is_on boolean not null
svc_approval_switch.operator_id bigint not null default 0
svc_approval_switch.operator_name text not null default ''::text
svc_approval_switch.operate_time timestamp with time zone not null default now()
svc_attachment.id bigint not null identity
svc_attachment.conversation_id text not null
svc_attachment.file_name text not null
svc_attachment.content_type text not null
svc_attachment.size bigint not null
svc_attachment.sha256 text not null
svc_attachment.file_path text not null
svc_attachment.tenant_id bigint not null
svc_attachment.user_id bigint not null
svc_attachment.remark text not null default ''::text
svc_attachment.creator_id bigint not null default 0
svc_attachment.creator_name text not null default ''::text
svc_attachment.create_time timestamp with time zone not null default now()
svc_attachment.operator_id bigint not null default 0
svc_attachment.operator_name text not null default ''::text
svc_attachment.operate_time timestamp with time zone not null default now()
svc_audit_seal.tenant_id bigint not null
svc_audit_seal.log text not null
svc_audit_seal.seq bigint not null
svc_audit_seal.row_id bigint not null
svc_audit_seal.form smallint not null
svc_audit_seal.mac text not null
svc_audit_seal.seal_time timestamp with time zone not null
svc_change_log.id bigint not null identity
svc_change_log.tenant_id bigint not null
svc_change_log.entity_type text not null
svc_change_log.entity_id bigint not null
svc_change_log.entity_name text not null default ''::text
svc_change_log.device_id bigint not null default 0
svc_change_log.point_id bigint not null default 0
svc_change_log.operation text not null
svc_change_log.changes jsonb not null default '{}'::jsonb
svc_change_log.actor_id bigint not null default 0
svc_change_log.actor_name text not null default ''::text
svc_change_log.actor_via text not null default ''::text
svc_change_log.create_time timestamp with time zone not null default now()
svc_change_log.source text not null default svc_actor_source()
svc_chat_budget.id bigint not null identity
svc_chat_budget.tenant_id bigint not null
svc_chat_budget.kind text not null
svc_chat_budget.subject text not null default ''::text
svc_chat_budget.unit text not null
svc_chat_budget.currency text not null default ''::text
svc_chat_budget.period text not null
svc_chat_budget.amount numeric(20,9) not null
svc_chat_budget.operator_id bigint not null default 0
svc_chat_budget.operator_name text not null default ''::text
svc_chat_budget.operate_time timestamp with time zone not null default now()
svc_chat_budget_hold.id bigint not null identity
svc_chat_budget_hold.tenant_id bigint not null
svc_chat_budget_hold.budget_id bigint not null
svc_chat_budget_hold.subject text not null
svc_chat_budget_hold.begins timestamp with time zone not null
svc_chat_budget_hold.amount numeric(20,9) not null
svc_chat_budget_hold.expire_time timestamp with time zone not null
svc_chat_budget_use.tenant_id bigint not null
svc_chat_budget_use.budget_id bigint not null
svc_chat_budget_use.subject text not null
svc_chat_budget_use.begins timestamp with time zone not null
svc_chat_budget_use.used numeric(20,9) not null default 0
svc_chat_budget_use.reserved numeric(20,9) not null default 0
svc_chat_handle.tenant_id bigint not null
svc_chat_handle.user_id bigint not null
svc_chat_handle.handle text not null
svc_chat_handle.conversation_id text not null
svc_chat_handle.state jsonb
svc_chat_handle.create_time timestamp with time zone not null
svc_chat_handle.expire_time timestamp with time zone not null
svc_chat_origin.id bigint not null identity
svc_chat_origin.tenant_id bigint not null
svc_chat_origin.origin text not null
svc_chat_step.id bigint not null identity
svc_chat_step.tenant_id bigint not null
svc_chat_step.turn_id text not null
svc_chat_step.step integer not null
svc_chat_step.conversation_id text not null default ''::text
svc_chat_step.user_id bigint not null
svc_chat_step.user_name text not null default ''::text
svc_chat_step.client_id text not null default ''::text
svc_chat_step.end_user text not null default ''::text
svc_chat_step.provider text not null
svc_chat_step.model text not null
svc_chat_step.prompt_tokens bigint not null
svc_chat_step.completion_tokens bigint not null
svc_chat_step.cached_tokens bigint not null
svc_chat_step.reasoning_tokens bigint not null
svc_chat_step.estimated boolean not null
svc_chat_step.cost numeric(20,9)
svc_chat_step.currency text not null default ''::text
svc_chat_step.first_token_ms integer
svc_chat_step.duration_ms integer not null
svc_chat_step.ended smallint not null
svc_chat_step.reason text not null default ''::text
svc_chat_step.create_time timestamp with time zone not null
svc_command.id bigint not null identity
svc_command.tenant_id bigint not null
svc_command.command_name text not null
svc_command.command_code text not null
svc_command.command_type_flag smallint not null default 0
svc_command.call_type_flag smallint not null default 1
svc_command.timeout integer not null default 30
svc_command.command_ext jsonb not null default '{}'::jsonb
svc_command.profile_id bigint not null
svc_command.enable_flag smallint not null default 0
svc_command.signature text not null default ''::text
svc_command.version integer not null default 1
svc_command.remark text not null default ''::text
svc_command.creator_id bigint not null default 0
svc_command.creator_name text not null default ''::text
svc_command.create_time timestamp with time zone not null default now()
svc_command.operator_id bigint not null default 0
svc_command.operator_name text not null default ''::text
svc_command.operate_time timestamp with time zone not null default now()
svc_command_attribute.id bigint not null identity
svc_command_attribute.tenant_id bigint not null
svc_command_attribute.attribute_name text not null
svc_command_attribute.attribute_code text not null
svc_command_attribute.attribute_type_flag smallint not null
svc_command_attribute.default_value text not null default ''::text
svc_command_attribute.driver_id bigint not null
svc_command_attribute.attribute_ext jsonb not null default '{}'::jsonb
svc_command_attribute.enable_flag smallint not null default 0
svc_command_attribute.signature text not null default ''::text
svc_command_attribute.version integer not null default 1
svc_command_attribute.remark text not null default ''::text
svc_command_attribute.creator_id bigint not null default 0
svc_command_attribute.creator_name text not null default ''::text
svc_command_attribute.create_time timestamp with time zone not null default now()
svc_command_attribute.operator_id bigint not null default 0
svc_command_attribute.operator_name text not null default ''::text
svc_command_attribute.operate_time timestamp with time zone not null default now()
svc_command_attribute_config.id bigint not null identity
svc_command_attribute_config.tenant_id bigint not null
svc_command_attribute_config.attribute_id bigint not null
svc_command_attribute_config.config_value text not null
svc_command_attribute_config.config_ext jsonb not null default '{}'::jsonb
svc_command_attribute_config.device_id bigint not null
svc_command_attribute_config.command_id bigint not null
svc_command_attribute_config.enable_flag smallint not null default 0
svc_command_attribute_config.signature text not null default ''::text
svc_command_attribute_config.version integer not null default 1
svc_command_attribute_config.remark text not null default ''::text
svc_command_attribute_config.creator_id bigint not null default 0
svc_command_attribute_config.creator_name text not null default ''::text
svc_command_attribute_config.create_time timestamp with time zone not null default now()
svc_command_attribute_config.operator_id bigint not null default 0
svc_command_attribute_config.operator_name text not null default ''::text
svc_command_attribute_config.operate_time timestamp with time zone not null default now()
svc_command_history.id bigint not null identity
svc_command_history.record_id uuid not null
svc_command_history.tenant_id bigint not null
svc_command_history.device_id bigint not null
svc_command_history.command_id bigint not null
svc_command_history.command_code text not null
svc_command_history.param_values jsonb not null default '{}'::jsonb
svc_command_history.result_values jsonb not null default '{}'::jsonb
svc_command_history.config_snapshot jsonb not null default '{}'::jsonb
svc_command_history.status smallint not null default 0
svc_command_history.error_code text not null default ''::text
svc_command_history.error_message text not null default ''::text
svc_command_history.source smallint not null default 0
svc_command_history.source_user_id bigint not null default 0
svc_command_history.occur_time timestamp with time zone not null
svc_command_history.send_time timestamp with time zone
svc_command_history.finish_time timestamp with time zone
svc_command_history.expire_time timestamp with time zone not null
svc_command_history.schema_version smallint not null default 1
svc_command_history.create_time timestamp with time zone not null default now()
svc_command_history.operate_time timestamp with time zone not null default now()
svc_command_history.waiting_time timestamp with time zone
svc_command_param.id bigint not null identity
svc_command_param.tenant_id bigint not null
svc_command_param.param_name text not null
svc_command_param.param_code text not null
svc_command_param.param_direction_flag smallint not null default 0
svc_command_param.param_type_flag smallint not null
svc_command_param.required_flag smallint not null default 0
svc_command_param.default_value text not null default ''::text
svc_command_param.param_ext jsonb not null default '{}'::jsonb
svc_command_param.command_id bigint not null
svc_command_param.enable_flag smallint not null default 0
svc_command_param.signature text not null default ''::text
svc_command_param.version integer not null default 1
svc_command_param.remark text not null default ''::text
svc_command_param.creator_id bigint not null default 0
svc_command_param.creator_name text not null default ''::text
svc_command_param.create_time timestamp with time zone not null default now()
svc_command_param.operator_id bigint not null default 0
svc_command_param.operator_name text not null default ''::text
svc_command_param.operate_time timestamp with time zone not null default now()
svc_dead_letter.id bigint not null identity
svc_dead_letter.topic text not null
svc_dead_letter.queue text not null
svc_dead_letter.key text not null
svc_dead_letter.message_id text not null
svc_dead_letter.reason text not null
svc_dead_letter.payload text not null
svc_dead_letter.create_time timestamp with time zone not null
svc_device.id bigint not null identity
svc_device.tenant_id bigint not null
svc_device.device_name text not null
svc_device.device_code text not null
svc_device.driver_id bigint not null
svc_device.profile_id bigint not null
svc_device.device_ext jsonb not null default '{}'::jsonb
svc_device.enable_flag smallint not null default 0
svc_device.signature text not null default ''::text
svc_device.version integer not null default 1
svc_device.remark text not null default ''::text
svc_device.creator_id bigint not null default 0
svc_device.creator_name text not null default ''::text
svc_device.create_time timestamp with time zone not null default now()
svc_device.operator_id bigint not null default 0
svc_device.operator_name text not null default ''::text
svc_device.operate_time timestamp with time zone not null default now()
svc_device.metadata_version bigint not null default 0
svc_device_import.id bigint not null identity
svc_device_import.tenant_id bigint not null
svc_device_import.import_id uuid not null
svc_device_import.driver_id bigint not null
svc_device_import.profile_id bigint not null
svc_device_import.status text not null default 'RUNNING'::text
svc_device_import.why text not null default ''::text
svc_device_import.total integer not null
svc_device_import.added integer not null default 0
svc_device_import.changed integer not null default 0
svc_device_import.unchanged integer not null default 0
svc_device_import.refused integer not null default 0
svc_device_import.creator_id bigint not null
svc_device_import.creator_name text not null
svc_device_import.create_time timestamp with time zone not null
svc_device_import.end_time timestamp with time zone
svc_device_import_refusal.tenant_id bigint not null
svc_device_import_refusal.import_id uuid not null
svc_device_import_refusal.row_number integer not null
svc_device_import_refusal.device_name text not null
svc_device_import_refusal.column_title text not null
svc_device_import_refusal.reason text not null
svc_device_import_slice.tenant_id bigint not null
svc_device_import_slice.import_id uuid not null
svc_device_import_slice.slice integer not null
svc_device_import_slice.content text not null
svc_device_registration.tenant_id bigint not null
svc_device_registration.device_id bigint not null
svc_device_registration.endpoint text not null
svc_device_registration.version text not null
svc_device_registration.register_time timestamp with time zone not null
svc_device_registration.objects text not null
svc_device_registration.left_out integer not null
svc_driver.id bigint not null identity
svc_driver.tenant_id bigint not null
svc_driver.driver_name text not null
svc_driver.driver_code text not null
svc_driver.service_name text not null default ''::text
svc_driver.service_host text not null default ''::text
svc_driver.driver_type_flag smallint not null default 0
svc_driver.driver_ext jsonb not null default '{}'::jsonb
svc_driver.enable_flag smallint not null default 0
svc_driver.signature text not null default ''::text
svc_driver.version integer not null default 1
svc_driver.remark text not null default ''::text
svc_driver.creator_id bigint not null default 0
svc_driver.creator_name text not null default ''::text
svc_driver.create_time timestamp with time zone not null default now()
svc_driver.operator_id bigint not null default 0
svc_driver.operator_name text not null default ''::text
svc_driver.operate_time timestamp with time zone not null default now()
svc_driver_attribute.id bigint not null identity
svc_driver_attribute.tenant_id bigint not null
svc_driver_attribute.attribute_name text not null
svc_driver_attribute.attribute_code text not null
svc_driver_attribute.attribute_type_flag smallint not null
svc_driver_attribute.default_value text not null default ''::text
svc_driver_attribute.driver_id bigint not null
svc_driver_attribute.attribute_ext jsonb not null default '{}'::jsonb
svc_driver_attribute.enable_flag smallint not null default 0
svc_driver_attribute.signature text not null default ''::text
svc_driver_attribute.version integer not null default 1
svc_driver_attribute.remark text not null default ''::text
svc_driver_attribute.creator_id bigint not null default 0
svc_driver_attribute.creator_name text not null default ''::text
svc_driver_attribute.create_time timestamp with time zone not null default now()
svc_driver_attribute.operator_id bigint not null default 0
svc_driver_attribute.operator_name text not null default ''::text
svc_driver_attribute.operate_time timestamp with time zone not null default now()
svc_driver_attribute_config.id bigint not null identity
svc_driver_attribute_config.tenant_id bigint not null
svc_driver_attribute_config.attribute_id bigint not null
svc_driver_attribute_config.config_value text not null
svc_driver_attribute_config.config_ext jsonb not null default '{}'::jsonb
svc_driver_attribute_config.device_id bigint not null
svc_driver_attribute_config.enable_flag smallint not null default 0
svc_driver_attribute_config.signature text not null default ''::text
svc_driver_attribute_config.version integer not null default 1
svc_driver_attribute_config.remark text not null default ''::text
svc_driver_attribute_config.creator_id bigint not null default 0
svc_driver_attribute_config.creator_name text not null default ''::text
svc_driver_attribute_config.create_time timestamp with time zone not null default now()
svc_driver_attribute_config.operator_id bigint not null default 0
svc_driver_attribute_config.operator_name text not null default ''::text
svc_driver_attribute_config.operate_time timestamp with time zone not null default now()
svc_endpoint_claim.id bigint not null identity
svc_endpoint_claim.tenant_id bigint not null
svc_endpoint_claim.driver_code text not null
svc_endpoint_claim.endpoint text not null
svc_endpoint_claim.device_id bigint not null
svc_endpoint_claim.config_id bigint not null
svc_endpoint_claim.create_time timestamp with time zone not null default now()
svc_endpoint_claim.acknowledged_change text not null default ''::text
svc_endpoint_claim.proven boolean not null default false
svc_entity_alarm.id bigint not null identity
svc_entity_alarm.tenant_id bigint not null
svc_entity_alarm.alarm_target_type_flag smallint not null
svc_entity_alarm.entity_id bigint not null
svc_entity_alarm.driver_id bigint not null default 0
svc_entity_alarm.device_id bigint not null default 0
svc_entity_alarm.point_id bigint not null default 0
svc_entity_alarm.rule_id bigint not null default 0
svc_entity_alarm.rule_state_id bigint not null default 0
svc_entity_alarm.alarm_type_flag smallint not null
svc_entity_alarm.alarm_source_flag smallint not null
svc_entity_alarm.alarm_level_flag smallint not null default 2
svc_entity_alarm.message text not null default ''::text
svc_entity_alarm.alarm_ext jsonb not null default '{}'::jsonb
svc_entity_alarm.confirm_flag smallint not null default 0
svc_entity_alarm.confirm_time timestamp with time zone
svc_entity_alarm.confirm_user_id bigint not null default 0
svc_entity_alarm.create_time timestamp with time zone not null default now()
svc_entity_alarm.operate_time timestamp with time zone not null default now()
svc_entity_alarm.state_flag smallint
svc_entity_alarm.first_trigger_time timestamp with time zone
svc_entity_alarm.last_trigger_time timestamp with time zone
svc_entity_alarm.last_recover_time timestamp with time zone
svc_entity_alarm.last_notify_time timestamp with time zone
svc_entity_alarm.trigger_count bigint not null default 0
svc_entity_alarm.condition text not null default ''::text
svc_entity_alarm.end_reason text not null default ''::text
svc_entity_alarm.confirm_user_name text
svc_entity_alarm.urgency integer not null default (
CASE
    WHEN (state_flag = 1) THEN 8
    WHEN (confirm_flag = 0) THEN 4
    ELSE 0
END - alarm_level_flag)
svc_entity_alarm.confirm_note text not null default ''::text
svc_entity_alarm.assignee_id bigint not null default 0
svc_entity_alarm.assignee_name text not null default ''::text
svc_entity_state.tenant_id bigint not null
svc_entity_state.entity_type_flag smallint not null
svc_entity_state.entity_id bigint not null
svc_entity_state.parent_entity_id bigint not null default 0
svc_entity_state.entity_state_flag smallint not null default 1
svc_entity_state.last_state_flag smallint not null default 1
svc_entity_state.lease_version bigint not null default 0
svc_entity_state.expire_time timestamp with time zone not null
svc_entity_state.last_heartbeat_time timestamp with time zone not null
svc_entity_state.description text not null default ''::text
svc_entity_state.create_time timestamp with time zone not null default now()
svc_entity_state.operate_time timestamp with time zone not null default now()
svc_entity_state.node text not null default ''::text
svc_entity_state.claim_time timestamp with time zone
svc_entity_state.last_online_time timestamp with time zone
svc_entity_state.offline_since timestamp with time zone
svc_entity_state.peer_host text not null default ''::text
svc_entity_state.peer_claim bigint not null default 0
svc_entity_state.peer_change jsonb
svc_entity_state.lapsed boolean not null default false
svc_entity_state.online_since timestamp with time zone
svc_entity_state.read_issue text not null default ''::text
svc_entity_state.command_life_ms integer not null default 0
svc_event.id bigint not null identity
svc_event.tenant_id bigint not null
svc_event.event_name text not null
svc_event.event_code text not null
svc_event.event_type_flag smallint not null default 0
svc_event.event_level_flag smallint not null default 0
svc_event.event_ext jsonb not null default '{}'::jsonb
svc_event.profile_id bigint not null
svc_event.enable_flag smallint not null default 0
svc_event.signature text not null default ''::text
svc_event.version integer not null default 1
svc_event.remark text not null default ''::text
svc_event.creator_id bigint not null default 0
svc_event.creator_name text not null default ''::text
svc_event.create_time timestamp with time zone not null default now()
svc_event.operator_id bigint not null default 0
svc_event.operator_name text not null default ''::text
svc_event.operate_time timestamp with time zone not null default now()
svc_event_attribute.id bigint not null identity
svc_event_attribute.tenant_id bigint not null
svc_event_attribute.attribute_name text not null
svc_event_attribute.attribute_code text not null
svc_event_attribute.attribute_type_flag smallint not null
svc_event_attribute.default_value text not null default ''::text
svc_event_attribute.driver_id bigint not null
svc_event_attribute.attribute_ext jsonb not null default '{}'::jsonb
svc_event_attribute.enable_flag smallint not null default 0
svc_event_attribute.signature text not null default ''::text
svc_event_attribute.version integer not null default 1
svc_event_attribute.remark text not null default ''::text
svc_event_attribute.creator_id bigint not null default 0
svc_event_attribute.creator_name text not null default ''::text
svc_event_attribute.create_time timestamp with time zone not null default now()
svc_event_attribute.operator_id bigint not null default 0
svc_event_attribute.operator_name text not null default ''::text
svc_event_attribute.operate_time timestamp with time zone not null default now()
svc_event_attribute_config.id bigint not null identity
svc_event_attribute_config.tenant_id bigint not null
svc_event_attribute_config.attribute_id bigint not null
svc_event_attribute_config.config_value text not null
svc_event_attribute_config.config_ext jsonb not null default '{}'::jsonb
svc_event_attribute_config.device_id bigint not null
svc_event_attribute_config.event_id bigint not null
svc_event_attribute_config.enable_flag smallint not null default 0
svc_event_attribute_config.signature text not null default ''::text
svc_event_attribute_config.version integer not null default 1
svc_event_attribute_config.remark text not null default ''::text
svc_event_attribute_config.creator_id bigint not null default 0
svc_event_attribute_config.creator_name text not null default ''::text
svc_event_attribute_config.create_time timestamp with time zone not null default now()
svc_event_attribute_config.operator_id bigint not null default 0
svc_event_attribute_config.operator_name text not null default ''::text
svc_event_attribute_config.operate_time timestamp with time zone not null default now()
svc_event_history.id bigint not null identity
svc_event_history.record_id uuid not null
svc_event_history.tenant_id bigint not null
svc_event_history.device_id bigint not null
svc_event_history.event_id bigint not null default 0
svc_event_history.event_code text not null default ''::text
svc_event_history.event_type_flag smallint not null default 0
svc_event_history.event_level_flag smallint not null default 0
svc_event_history.param_values jsonb not null default '{}'::jsonb
svc_event_history.config_snapshot jsonb not null default '{}'::jsonb
svc_event_history.message text not null default ''::text
svc_event_history.occur_time timestamp with time zone not null
svc_event_history.receive_time timestamp with time zone not null default now()
svc_event_history.acknowledge_flag smallint not null default 0
svc_event_history.acknowledge_time timestamp with time zone
svc_event_history.acknowledge_user_id bigint not null default 0
svc_event_history.schema_version smallint not null default 1
svc_event_history.create_time timestamp with time zone not null default now()
svc_event_history.operate_time timestamp with time zone not null default now()
svc_event_history.claimed_time timestamp with time zone
svc_event_param.id bigint not null identity
svc_event_param.tenant_id bigint not null
svc_event_param.param_name text not null
svc_event_param.param_code text not null
svc_event_param.param_type_flag smallint not null
svc_event_param.param_ext jsonb not null default '{}'::jsonb
svc_event_param.event_id bigint not null
svc_event_param.enable_flag smallint not null default 0
svc_event_param.signature text not null default ''::text
svc_event_param.version integer not null default 1
svc_event_param.remark text not null default ''::text
svc_event_param.creator_id bigint not null default 0
svc_event_param.creator_name text not null default ''::text
svc_event_param.create_time timestamp with time zone not null default now()
svc_event_param.operator_id bigint not null default 0
svc_event_param.operator_name text not null default ''::text
svc_event_param.operate_time timestamp with time zone not null default now()
svc_external_identity.id bigint not null identity
svc_external_identity.provider_id bigint not null
svc_external_identity.principal_id bigint not null
svc_external_identity.external_subject text not null
svc_external_identity.external_username text not null default ''::text
svc_external_identity.external_email text not null default ''::text
svc_external_identity.email_verified smallint not null default 0
svc_external_identity.first_login_time timestamp with time zone
svc_external_identity.last_login_time timestamp with time zone
svc_external_identity.last_claims_digest text not null default ''::text
svc_external_identity.identity_ext jsonb not null default '{}'::jsonb
svc_external_identity.enable_flag smallint not null default 0
svc_external_identity.remark text not null default ''::text
svc_external_identity.creator_id bigint not null default 0
svc_external_identity.creator_name text not null default ''::text
svc_external_identity.create_time timestamp with time zone not null default now()
svc_external_identity.operator_id bigint not null default 0
svc_external_identity.operator_name text not null default ''::text
svc_external_identity.operate_time timestamp with time zone not null default now()
svc_feed.id bigint not null identity
svc_feed.tenant_id bigint not null
svc_feed.place bigint
svc_feed.kind text not null
svc_feed.what text not null
svc_feed.ref text not null
svc_feed.device_id bigint not null default 0
svc_feed.action_id uuid
svc_feed.occur_time timestamp with time zone not null
svc_feed.create_time timestamp with time zone not null default now()
svc_feed_head.tenant_id bigint not null
svc_feed_head.place bigint not null default 0
svc_feed_head.dropped bigint not null default 0
svc_firmware_chunk.tenant_id bigint not null
svc_firmware_chunk.package_id bigint not null
svc_firmware_chunk.chunk integer not null
svc_firmware_chunk.content bytea not null
svc_firmware_package.id bigint not null identity
svc_firmware_package.package_name text not null
svc_firmware_package.package_version text not null
svc_firmware_package.size bigint not null
svc_firmware_package.sha256 text not null
svc_firmware_package.package_uri text not null default ''::text
svc_firmware_package.tenant_id bigint not null
svc_firmware_package.remark text not null default ''::text
svc_firmware_package.creator_id bigint not null default 0
svc_firmware_package.creator_name text not null default ''::text
svc_firmware_package.create_time timestamp with time zone not null default now()
svc_firmware_package.operator_id bigint not null default 0
svc_firmware_package.operator_name text not null default ''::text
svc_firmware_package.operate_time timestamp with time zone not null default now()
svc_firmware_package.package_model text not null default ''::text
svc_firmware_rollout.id bigint not null identity
svc_firmware_rollout.rollout_name text not null
svc_firmware_rollout.package_id bigint not null
svc_firmware_rollout.package_name text not null
svc_firmware_rollout.package_version text not null
svc_firmware_rollout.size bigint not null
svc_firmware_rollout.sha256 text not null
svc_firmware_rollout.package_uri text not null default ''::text
svc_firmware_rollout.wave_size integer not null
svc_firmware_rollout.failure_percent integer not null
svc_firmware_rollout.minutes integer not null
svc_firmware_rollout.status text not null
svc_firmware_rollout.why text not null default ''::text
svc_firmware_rollout.total integer not null
svc_firmware_rollout.wave integer not null default 0
svc_firmware_rollout.expire_time timestamp with time zone
svc_firmware_rollout.end_time timestamp with time zone
svc_firmware_rollout.tenant_id bigint not null
svc_firmware_rollout.remark text not null default ''::text
svc_firmware_rollout.creator_id bigint not null default 0
svc_firmware_rollout.creator_name text not null default ''::text
svc_firmware_rollout.create_time timestamp with time zone not null default now()
svc_firmware_rollout.operator_id bigint not null default 0
svc_firmware_rollout.operator_name text not null default ''::text
svc_firmware_rollout.operate_time timestamp with time zone not null default now()
svc_firmware_rollout.action_id uuid
svc_firmware_rollout.proposer_id bigint not null default 0
svc_firmware_rollout.client_id text not null default ''::text
svc_firmware_rollout.held text not null default ''::text
svc_firmware_update.tenant_id bigint not null
svc_firmware_update.rollout_id bigint not null
svc_firmware_update.device_id bigint not null
svc_firmware_update.update_id uuid not null
svc_firmware_update.position integer not null
svc_firmware_update.wave integer not null default 0
svc_firmware_update.status text not null default 'WAITING'::text
svc_firmware_update.sent_bytes bigint not null default 0
svc_firmware_update.object_state smallint
svc_firmware_update.update_result smallint
svc_firmware_update.version_before text
svc_firmware_update.version_now text
svc_firmware_update.pushes integer not null default 0
svc_firmware_update.executions integer not null default 0
svc_firmware_update.message text not null default ''::text
svc_firmware_update.begin_time timestamp with time zone
svc_firmware_update.next_time timestamp with time zone
svc_firmware_update.heard_time timestamp with time zone
svc_firmware_update.due_time timestamp with time zone
svc_firmware_update.end_time timestamp with time zone
svc_firmware_update.target jsonb not null default '{}'::jsonb
svc_firmware_update.code text not null default ''::text
svc_firmware_update.answer text not null default 'NONE'::text
svc_firmware_update.session text not null default ''::text
svc_firmware_update.result_before smallint
svc_firmware_update.ended_as text
svc_firmware_update.correction text not null default ''::text
svc_firmware_update.corrected_time timestamp with time zone
svc_firmware_update.allowed_time timestamp with time zone
svc_group.id bigint not null identity
svc_group.tenant_id bigint not null
svc_group.entity_type_flag smallint not null
svc_group.parent_group_id bigint not null default 0
svc_group.group_name text not null
svc_group.group_code text not null
svc_group.group_level smallint not null default 0
svc_group.group_index integer not null default 0
svc_group.enable_flag smallint not null default 0
svc_group.signature text not null default ''::text
svc_group.version integer not null default 1
svc_group.remark text not null default ''::text
svc_group.creator_id bigint not null default 0
svc_group.creator_name text not null default ''::text
svc_group.create_time timestamp with time zone not null default now()
svc_group.operator_id bigint not null default 0
svc_group.operator_name text not null default ''::text
svc_group.operate_time timestamp with time zone not null default now()
svc_group_bind.id bigint not null identity
svc_group_bind.tenant_id bigint not null
svc_group_bind.entity_type_flag smallint not null
svc_group_bind.group_id bigint not null
svc_group_bind.entity_id bigint not null
svc_group_bind.enable_flag smallint not null default 0
svc_group_bind.signature text not null default ''::text
svc_group_bind.version integer not null default 1
svc_group_bind.remark text not null default ''::text
svc_group_bind.creator_id bigint not null default 0
svc_group_bind.creator_name text not null default ''::text
svc_group_bind.create_time timestamp with time zone not null default now()
svc_group_bind.operator_id bigint not null default 0
svc_group_bind.operator_name text not null default ''::text
svc_group_bind.operate_time timestamp with time zone not null default now()
svc_heard_text.tenant_id bigint not null
svc_heard_text.user_id bigint not null
svc_heard_text.client_id text not null
svc_heard_text.digest text not null
svc_heard_text.tool text not null
svc_heard_text.field text not null
svc_heard_text.subject text not null
svc_heard_text.text text not null
svc_heard_text.read_time timestamp with time zone not null
svc_heard_text.expire_time timestamp with time zone not null
svc_identity_audit_log.id bigint not null identity
svc_identity_audit_log.tenant_id bigint not null
svc_identity_audit_log.principal_id bigint not null
svc_identity_audit_log.principal_type text not null default 'USER'::text
svc_identity_audit_log.action text not null
svc_identity_audit_log.resource_type text not null default ''::text
svc_identity_audit_log.resource_id text not null default ''::text
svc_identity_audit_log.resource_name text not null default ''::text
svc_identity_audit_log.status text not null
svc_identity_audit_log.error_code text not null default ''::text
svc_identity_audit_log.detail_ext jsonb not null default '{}'::jsonb
svc_identity_audit_log.create_time timestamp with time zone not null default now()
svc_identity_audit_log.source text not null default svc_actor_source()
svc_identity_notice.id uuid not null
svc_identity_notice.tenant_id bigint not null
svc_identity_notice.kind text not null
svc_identity_notice.message text not null
svc_identity_notice.occur_time timestamp with time zone not null
svc_identity_notice.try_time timestamp with time zone not null
svc_identity_notice.sent_time timestamp with time zone
svc_identity_provider.id bigint not null identity
svc_identity_provider.tenant_id bigint not null
svc_identity_provider.provider_code text not null
svc_identity_provider.provider_name text not null default ''::text
svc_identity_provider.provider_type text not null default 'OIDC'::text
svc_identity_provider.issuer text not null default ''::text
svc_identity_provider.discovery_url text not null default ''::text
svc_identity_provider.authorization_uri text not null default ''::text
svc_identity_provider.token_uri text not null default ''::text
svc_identity_provider.user_info_uri text not null default ''::text
svc_identity_provider.jwks_uri text not null default ''::text
svc_identity_provider.client_id text not null default ''::text
svc_identity_provider.client_secret_ref text not null default ''::text
svc_identity_provider.scopes text not null default ''::text
svc_identity_provider.redirect_uri text not null default ''::text
svc_identity_provider.subject_claim text not null default 'sub'::text
svc_identity_provider.username_claim text not null default ''::text
svc_identity_provider.email_claim text not null default 'email'::text
svc_identity_provider.attribute_mapping jsonb not null default '{}'::jsonb
svc_identity_provider.provisioning_mode text not null default 'LINK_ONLY'::text
svc_identity_provider.enable_flag smallint not null default 1
svc_identity_provider.provider_ext jsonb not null default '{}'::jsonb
svc_identity_provider.remark text not null default ''::text
svc_identity_provider.creator_id bigint not null default 0
svc_identity_provider.creator_name text not null default ''::text
svc_identity_provider.create_time timestamp with time zone not null default now()
svc_identity_provider.operator_id bigint not null default 0
svc_identity_provider.operator_name text not null default ''::text
svc_identity_provider.operate_time timestamp with time zone not null default now()
svc_key.id bigint not null identity
svc_key.tenant_id bigint not null
svc_key.principal_id bigint not null
svc_key.principal_type text not null
svc_key.key_name text not null
svc_key.key_prefix text not null
svc_key.key_digest text not null
svc_key.audience text not null
svc_key.scopes text[] not null
svc_key.expire_time timestamp with time zone not null
svc_key.last_used_time timestamp with time zone
svc_key.creator_id bigint not null default 0
svc_key.creator_name text not null default ''::text
svc_key.create_time timestamp with time zone not null default now()
svc_label.id bigint not null identity
svc_label.tenant_id bigint not null
svc_label.entity_type_flag smallint not null
svc_label.label_name text not null
svc_label.label_code text not null
svc_label.label_color text not null default '#F4F4F5'::text
svc_label.enable_flag smallint not null default 0
svc_label.signature text not null default ''::text
svc_label.version integer not null default 1
svc_label.remark text not null default ''::text
svc_label.creator_id bigint not null default 0
svc_label.creator_name text not null default ''::text
svc_label.create_time timestamp with time zone not null default now()
svc_label.operator_id bigint not null default 0
svc_label.operator_name text not null default ''::text
svc_label.operate_time timestamp with time zone not null default now()
svc_label_bind.id bigint not null identity
svc_label_bind.tenant_id bigint not null
svc_label_bind.entity_type_flag smallint not null
svc_label_bind.label_id bigint not null
svc_label_bind.entity_id bigint not null
svc_label_bind.enable_flag smallint not null default 0
svc_label_bind.signature text not null default ''::text
svc_label_bind.version integer not null default 1
svc_label_bind.remark text not null default ''::text
svc_label_bind.creator_id bigint not null default 0
svc_label_bind.creator_name text not null default ''::text
svc_label_bind.create_time timestamp with time zone not null default now()
svc_label_bind.operator_id bigint not null default 0
svc_label_bind.operator_name text not null default ''::text
svc_label_bind.operate_time timestamp with time zone not null default now()
svc_listening.kind text not null
svc_listening.alive_time timestamp with time zone not null
svc_listening.since_time timestamp with time zone not null
svc_listening.paused_time timestamp with time zone
svc_listening.breaks jsonb not null default '[]'::jsonb
svc_local_credential.id bigint not null identity
svc_local_credential.principal_id bigint not null
svc_local_credential.login_name text not null
svc_local_credential.login_name_normalized text not null
svc_local_credential.credential_type text not null default 'PASSWORD'::text
svc_local_credential.password_hash text not null
svc_local_credential.password_algorithm text not null
svc_local_credential.password_params jsonb not null default '{}'::jsonb
svc_local_credential.password_updated_time timestamp with time zone
svc_local_credential.password_expire_time timestamp with time zone
svc_local_credential.failed_attempts integer not null default 0
svc_local_credential.locked_until timestamp with time zone
svc_local_credential.last_failed_time timestamp with time zone
svc_local_credential.require_password_change smallint not null default 1
svc_local_credential.credential_ext jsonb not null default '{}'::jsonb
svc_local_credential.enable_flag smallint not null default 0
svc_local_credential.remark text not null default ''::text
svc_local_credential.creator_id bigint not null default 0
svc_local_credential.creator_name text not null default ''::text
svc_local_credential.create_time timestamp with time zone not null default now()
svc_local_credential.operator_id bigint not null default 0
svc_local_credential.operator_name text not null default ''::text
svc_local_credential.operate_time timestamp with time zone not null default now()
svc_login_name.name_digest text not null
svc_login_name.failures integer not null default 0
svc_login_name.since timestamp with time zone not null
svc_login_name.last_time timestamp with time zone not null
svc_login_name.used_time timestamp with time zone not null
svc_login_name.sources text[] not null default '{}'::text[]
svc_maintenance.id bigint not null identity
svc_maintenance.maintenance_name text not null
svc_maintenance.scope_flag smallint not null
svc_maintenance.entity_ids jsonb not null default '[]'::jsonb
svc_maintenance.mode_flag smallint not null default 0
svc_maintenance.owner text not null default ''::text
svc_maintenance.reason text not null default ''::text
svc_maintenance.begin_time timestamp with time zone not null
svc_maintenance.end_time timestamp with time zone not null
svc_maintenance.tenant_id bigint not null
svc_maintenance.remark text not null default ''::text
svc_maintenance.creator_id bigint not null default 0
svc_maintenance.creator_name text not null default ''::text
svc_maintenance.create_time timestamp with time zone not null default now()
svc_maintenance.operator_id bigint not null default 0
svc_maintenance.operator_name text not null default ''::text
svc_maintenance.operate_time timestamp with time zone not null default now()
svc_manual.id bigint not null identity
svc_manual.manual_name text not null
svc_manual.device_id bigint not null default 0
svc_manual.profile_id bigint not null default 0
svc_manual.document text not null
svc_manual.content_type text not null
svc_manual.size bigint not null
svc_manual.sha256 text not null
svc_manual.pages integer not null
svc_manual.characters integer not null
svc_manual.whole_flag smallint not null
svc_manual.tenant_id bigint not null
svc_manual.remark text not null default ''::text
svc_manual.creator_id bigint not null default 0
svc_manual.creator_name text not null default ''::text
svc_manual.create_time timestamp with time zone not null default now()
svc_manual.operator_id bigint not null default 0
svc_manual.operator_name text not null default ''::text
svc_manual.operate_time timestamp with time zone not null default now()
svc_manual_page.tenant_id bigint not null
svc_manual_page.manual_id bigint not null
svc_manual_page.page integer not null
svc_manual_page.device_id bigint not null
svc_manual_page.profile_id bigint not null
svc_manual_page.text text not null
svc_manual_page.search tsvector not null
svc_mcp_audit_log.id bigint not null identity
svc_mcp_audit_log.trace_id text not null default ''::text
svc_mcp_audit_log.tenant_id bigint not null
svc_mcp_audit_log.principal_id bigint not null
svc_mcp_audit_log.principal_type text not null default 'USER'::text
svc_mcp_audit_log.client_id text not null default ''::text
svc_mcp_audit_log.connection_id bigint not null default 0
svc_mcp_audit_log.tool_id text not null default ''::text
svc_mcp_audit_log.tool_name text not null default ''::text
svc_mcp_audit_log.permission_code text not null default ''::text
svc_mcp_audit_log.risk_level text not null default 'LOW'::text
svc_mcp_audit_log.confirm_id text not null default ''::text
svc_mcp_audit_log.idempotency_key text not null default ''::text
svc_mcp_audit_log.argument_digest text not null default ''::text
svc_mcp_audit_log.status text not null
svc_mcp_audit_log.error_code text not null default ''::text
svc_mcp_audit_log.duration_ms bigint not null default 0
svc_mcp_audit_log.client_name text not null default ''::text
svc_mcp_audit_log.client_version text not null default ''::text
svc_mcp_audit_log.remote_ip text not null default ''::text
svc_mcp_audit_log.audit_ext jsonb not null default '{}'::jsonb
svc_mcp_audit_log.create_time timestamp with time zone not null default now()
svc_mcp_connection.id bigint not null identity
svc_mcp_connection.connection_name text not null
svc_mcp_connection.client_id text not null
svc_mcp_connection.principal_id bigint not null
svc_mcp_connection.principal_type text not null default 'USER'::text
svc_mcp_connection.tenant_id bigint not null
svc_mcp_connection.grant_type text not null default 'authorization_code'::text
svc_mcp_connection.enable_flag smallint not null default 0
svc_mcp_connection.expire_time timestamp with time zone
svc_mcp_connection.revoke_time timestamp with time zone
svc_mcp_connection.last_used_time timestamp with time zone
svc_mcp_connection.connection_ext jsonb not null default '{}'::jsonb
svc_mcp_connection.remark text not null default ''::text
svc_mcp_connection.creator_id bigint not null default 0
svc_mcp_connection.creator_name text not null default ''::text
svc_mcp_connection.create_time timestamp with time zone not null default now()
svc_mcp_connection.operator_id bigint not null default 0
svc_mcp_connection.operator_name text not null default ''::text
svc_mcp_connection.operate_time timestamp with time zone not null default now()
svc_mcp_connection.read_only_flag smallint not null default 0
svc_mcp_connection.budgets jsonb not null default '{}'::jsonb
svc_mcp_connection_tool.id bigint not null identity
svc_mcp_connection_tool.connection_id bigint not null
svc_mcp_connection_tool.tool_id text not null
svc_mcp_connection_tool.enable_flag smallint not null default 0
svc_mcp_connection_tool.remark text not null default ''::text
svc_mcp_connection_tool.creator_id bigint not null default 0
svc_mcp_connection_tool.creator_name text not null default ''::text
svc_mcp_connection_tool.create_time timestamp with time zone not null default now()
svc_mcp_connection_tool.operator_id bigint not null default 0
svc_mcp_connection_tool.operator_name text not null default ''::text
svc_mcp_connection_tool.operate_time timestamp with time zone not null default now()
svc_mcp_mail.id bigint not null identity
svc_mcp_mail.tenant_id bigint not null
svc_mcp_mail.session_id uuid not null
svc_mcp_mail.message text not null
svc_mcp_mail.create_time timestamp with time zone not null
svc_mcp_session.tenant_id bigint not null
svc_mcp_session.session_id uuid not null
svc_mcp_session.principal_id bigint not null
svc_mcp_session.client_id text not null
svc_mcp_session.opening jsonb not null
svc_mcp_session.log_level text not null default ''::text
svc_mcp_session.uris jsonb not null default '{}'::jsonb
svc_mcp_session.stream_id uuid
svc_mcp_session.open_time timestamp with time zone not null
svc_mcp_session.use_time timestamp with time zone not null
svc_mcp_tool_catalog.id bigint not null identity
svc_mcp_tool_catalog.tool_id text not null
svc_mcp_tool_catalog.tool_name text not null default ''::text
svc_mcp_tool_catalog.tool_title text not null default ''::text
svc_mcp_tool_catalog.tool_category text not null default ''::text
svc_mcp_tool_catalog.service_name text not null default ''::text
svc_mcp_tool_catalog.api_code text not null default ''::text
svc_mcp_tool_catalog.permission_code text not null default ''::text
svc_mcp_tool_catalog.http_method text not null default ''::text
svc_mcp_tool_catalog.api_path text not null default ''::text
svc_mcp_tool_catalog.schema_hash text not null default ''::text
svc_mcp_tool_catalog.risk_level text not null default 'LOW'::text
svc_mcp_tool_catalog.read_only_hint smallint not null default 0
svc_mcp_tool_catalog.destructive_hint smallint not null default 0
svc_mcp_tool_catalog.idempotent_hint smallint not null default 0
svc_mcp_tool_catalog.open_world_hint smallint not null default 0
svc_mcp_tool_catalog.enable_flag smallint not null default 0
svc_mcp_tool_catalog.tool_ext jsonb not null default '{}'::jsonb
svc_mcp_tool_catalog.remark text not null default ''::text
svc_mcp_tool_catalog.creator_id bigint not null default 0
svc_mcp_tool_catalog.creator_name text not null default ''::text
svc_mcp_tool_catalog.create_time timestamp with time zone not null default now()
svc_mcp_tool_catalog.operator_id bigint not null default 0
svc_mcp_tool_catalog.operator_name text not null default ''::text
svc_mcp_tool_catalog.operate_time timestamp with time zone not null default now()
svc_menu.id bigint not null identity
svc_menu.parent_menu_id bigint not null default 0
svc_menu.menu_type_flag smallint not null default 0
svc_menu.menu_name text not null default ''::text
svc_menu.menu_code text not null
svc_menu.menu_level smallint not null default 0
svc_menu.menu_index integer not null default 0
svc_menu.menu_ext jsonb not null default '{}'::jsonb
svc_menu.enable_flag smallint not null default 0
svc_menu.remark text not null default ''::text
svc_menu.creator_id bigint not null default 0
svc_menu.creator_name text not null default ''::text
svc_menu.create_time timestamp with time zone not null default now()
svc_menu.operator_id bigint not null default 0
svc_menu.operator_name text not null default ''::text
svc_menu.operate_time timestamp with time zone not null default now()
svc_message.id bigint not null identity
svc_message.conversation_id text not null
svc_message.message_index bigint not null
svc_message.role text not null
svc_message.content jsonb not null
svc_message.model text not null default ''::text
svc_message.status smallint not null default 0
svc_message.tenant_id bigint not null
svc_message.user_id bigint not null
svc_message.create_time timestamp with time zone not null default now()
svc_message.action_id uuid
svc_message.action_step smallint not null default 0
svc_message.parent_index bigint
svc_message.on_branch boolean not null default true
svc_message.turn_id text
svc_message_template.id bigint not null identity
svc_message_template.message_name text not null
svc_message_template.message_code text not null default ''::text
svc_message_template.message_level smallint not null default 2
svc_message_template.message_ext jsonb not null default '{}'::jsonb
svc_message_template.enable_flag smallint not null default 0
svc_message_template.tenant_id bigint not null
svc_message_template.remark text not null default ''::text
svc_message_template.creator_id bigint not null default 0
svc_message_template.creator_name text not null default ''::text
svc_message_template.create_time timestamp with time zone not null default now()
svc_message_template.operator_id bigint not null default 0
svc_message_template.operator_name text not null default ''::text
svc_message_template.operate_time timestamp with time zone not null default now()
svc_migration.name text not null
svc_migration.applied_at timestamp with time zone not null default now()
svc_migration.sha256 text
svc_migration.compatible boolean not null default false
svc_model_config.id bigint not null identity
svc_model_config.tenant_id bigint not null
svc_model_config.provider_id bigint not null
svc_model_config.model text not null
svc_model_config.label text not null default ''::text
svc_model_config.stream boolean not null default true
svc_model_config.tool_call boolean not null default true
svc_model_config.vision boolean not null default false
svc_model_config.reasoning boolean not null default false
svc_model_config.temperature double precision not null default 0.7
svc_model_config.max_tokens integer not null default 2048
svc_model_config.default_flag smallint not null default 0
svc_model_config.enable_flag smallint not null default 0
svc_model_config.remark text not null default ''::text
svc_model_config.creator_id bigint not null default 0
svc_model_config.creator_name text not null default ''::text
svc_model_config.create_time timestamp with time zone not null default now()
svc_model_config.operator_id bigint not null default 0
svc_model_config.operator_name text not null default ''::text
svc_model_config.operate_time timestamp with time zone not null default now()
svc_model_config.parameters jsonb not null default '{}'::jsonb
svc_model_config.price jsonb not null default '{}'::jsonb
svc_model_config.fallback_order smallint not null default 0
svc_model_provider.id bigint not null identity
svc_model_provider.tenant_id bigint not null
svc_model_provider.name text not null
svc_model_provider.provider_type smallint not null
svc_model_provider.base_url text not null default ''::text
svc_model_provider.model text not null default ''::text
svc_model_provider.api_key text not null default ''::text
svc_model_provider.default_flag smallint not null default 0
svc_model_provider.enable_flag smallint not null default 0
svc_model_provider.remark text not null default ''::text
svc_model_provider.creator_id bigint not null default 0
svc_model_provider.creator_name text not null default ''::text
svc_model_provider.create_time timestamp with time zone not null default now()
svc_model_provider.operator_id bigint not null default 0
svc_model_provider.operator_name text not null default ''::text
svc_model_provider.operate_time timestamp with time zone not null default now()
svc_model_provider.timeouts jsonb not null default '{}'::jsonb
svc_model_provider.learned jsonb not null default '{}'::jsonb
svc_model_provider.header_names jsonb not null default '[]'::jsonb
svc_model_provider.headers text not null default ''::text
svc_model_provider.proxy text not null default ''::text
svc_model_provider.proxy_login text not null default ''::text
svc_notify.id bigint not null identity
svc_notify.notify_name text not null
svc_notify.notify_code text not null default ''::text
svc_notify.auto_confirm_flag smallint not null default 1
svc_notify.notify_interval bigint not null default 0
svc_notify.notify_ext jsonb not null default '{}'::jsonb
svc_notify.enable_flag smallint not null default 0
svc_notify.tenant_id bigint not null
svc_notify.remark text not null default ''::text
svc_notify.creator_id bigint not null default 0
svc_notify.creator_name text not null default ''::text
svc_notify.create_time timestamp with time zone not null default now()
svc_notify.operator_id bigint not null default 0
svc_notify.operator_name text not null default ''::text
svc_notify.operate_time timestamp with time zone not null default now()
svc_notify.message_id bigint not null default 0
svc_notify_channel.id bigint not null identity
svc_notify_channel.channel_name text not null
svc_notify_channel.channel_code text not null default ''::text
svc_notify_channel.channel_type_flag smallint not null
svc_notify_channel.target text not null default ''::text
svc_notify_channel.credential_ref text not null default ''::text
svc_notify_channel.credential text not null default ''::text
svc_notify_channel.channel_ext jsonb not null default '{}'::jsonb
svc_notify_channel.enable_flag smallint not null default 0
svc_notify_channel.tenant_id bigint not null
svc_notify_channel.remark text not null default ''::text
svc_notify_channel.creator_id bigint not null default 0
svc_notify_channel.creator_name text not null default ''::text
svc_notify_channel.create_time timestamp with time zone not null default now()
svc_notify_channel.operator_id bigint not null default 0
svc_notify_channel.operator_name text not null default ''::text
svc_notify_channel.operate_time timestamp with time zone not null default now()
svc_notify_channel.answer_secret text not null default ''::text
svc_notify_channel_bind.id bigint not null identity
svc_notify_channel_bind.notify_id bigint not null
svc_notify_channel_bind.channel_id bigint not null
svc_notify_channel_bind.bind_ext jsonb not null default '{}'::jsonb
svc_notify_channel_bind.enable_flag smallint not null default 0
svc_notify_channel_bind.tenant_id bigint not null
svc_notify_channel_bind.remark text not null default ''::text
svc_notify_channel_bind.creator_id bigint not null default 0
svc_notify_channel_bind.creator_name text not null default ''::text
svc_notify_channel_bind.create_time timestamp with time zone not null default now()
svc_notify_channel_bind.operator_id bigint not null default 0
svc_notify_channel_bind.operator_name text not null default ''::text
svc_notify_channel_bind.operate_time timestamp with time zone not null default now()
svc_notify_history.id bigint not null identity
svc_notify_history.rule_id bigint not null default 0
svc_notify_history.notify_id bigint not null default 0
svc_notify_history.message_id bigint not null default 0
svc_notify_history.channel_id bigint not null
svc_notify_history.alarm_id bigint not null
svc_notify_history.channel_type_flag smallint not null
svc_notify_history.target text not null default ''::text
svc_notify_history.status_flag smallint not null default 0
svc_notify_history.request_ext jsonb not null default '{}'::jsonb
svc_notify_history.response_ext jsonb not null default '{}'::jsonb
svc_notify_history.error_message text not null default ''::text
svc_notify_history.retry_count integer not null default 0
svc_notify_history.next_try_time timestamp with time zone
svc_notify_history.tenant_id bigint not null
svc_notify_history.remark text not null default ''::text
svc_notify_history.creator_id bigint not null default 0
svc_notify_history.creator_name text not null default ''::text
svc_notify_history.create_time timestamp with time zone not null default now()
svc_notify_history.operator_id bigint not null default 0
svc_notify_history.operator_name text not null default ''::text
svc_notify_history.operate_time timestamp with time zone not null default now()
svc_notify_history.delivery_id uuid not null default gen_random_uuid()
svc_notify_history.rule_state_id bigint not null default 0
svc_notify_history.event_flag smallint not null default 0
svc_notify_history.rule_state_ids bigint[] not null default '{}'::bigint[]
svc_notify_ledger.tenant_id bigint not null
svc_notify_ledger.alarm_id bigint not null
svc_notify_ledger.notify_id bigint not null
svc_notify_ledger.channel_id bigint not null
svc_notify_ledger.message_id bigint not null default 0
svc_notify_ledger.known_flag smallint not null default 0
svc_notify_ledger.known_time timestamp with time zone
svc_notify_ledger.fired_count integer not null default 0
svc_notify_ledger.history_id bigint not null default 0
svc_notify_ledger.failure_count integer not null default 0
svc_notify_ledger.reason text not null default ''::text
svc_notify_ledger.due_time timestamp with time zone
svc_notify_ledger.end_time timestamp with time zone
svc_notify_ledger.create_time timestamp with time zone not null default now()
svc_notify_ledger.operate_time timestamp with time zone not null default now()
svc_notify_ledger.cause_id bigint not null default 0
svc_notify_ledger.level_flag smallint
svc_notify_ledger.uncalled boolean not null default false
svc_notify_ledger.acknowledged_time timestamp with time zone
svc_notify_ledger.gather_key text not null default ''::text
svc_notify_ledger.gather_time timestamp with time zone
svc_notify_ledger.fired_in bigint not null default 0
svc_notify_ledger.over_in bigint not null default 0
svc_notify_ledger.muted_until timestamp with time zone
svc_notify_ledger.confirm_known boolean not null default false
svc_notify_ledger.unanswered boolean not null default false
svc_oauth_client.id bigint not null identity
svc_oauth_client.client_id text not null
svc_oauth_client.client_name text not null default ''::text
svc_oauth_client.client_type text not null
svc_oauth_client.owner_principal_id bigint not null default 0
svc_oauth_client.service_account_principal_id bigint not null default 0
svc_oauth_client.tenant_id bigint not null
svc_oauth_client.client_secret text
svc_oauth_client.grant_types text[] not null
svc_oauth_client.redirect_uris text[] not null default '{}'::text[]
svc_oauth_client.scopes text not null default ''::text
svc_oauth_client.enable_flag smallint not null default 0
svc_oauth_client.remark text not null default ''::text
svc_oauth_client.creator_id bigint not null default 0
svc_oauth_client.creator_name text not null default ''::text
svc_oauth_client.create_time timestamp with time zone not null default now()
svc_oauth_client.operator_id bigint not null default 0
svc_oauth_client.operator_name text not null default ''::text
svc_oauth_client.operate_time timestamp with time zone not null default now()
svc_oauth_store.kind text not null
svc_oauth_store.id text not null
svc_oauth_store.payload jsonb not null
svc_oauth_store.grant_id text
svc_oauth_store.uid text
svc_oauth_store.user_code text
svc_oauth_store.expires_at timestamp with time zone
svc_oauth_store.source text
svc_point.id bigint not null identity
svc_point.tenant_id bigint not null
svc_point.point_name text not null
svc_point.point_code text not null
svc_point.point_type_flag smallint not null
svc_point.rw_flag smallint not null default 0
svc_point.base_value double precision not null default 0
svc_point.multiple double precision not null default 1
svc_point.value_decimal smallint not null default 6
svc_point.min_value double precision
svc_point.max_value double precision
svc_point.unit text not null default ''::text
svc_point.profile_id bigint not null
svc_point.point_ext jsonb not null default '{}'::jsonb
svc_point.enable_flag smallint not null default 0
svc_point.signature text not null default ''::text
svc_point.version integer not null default 1
svc_point.remark text not null default ''::text
svc_point.creator_id bigint not null default 0
svc_point.creator_name text not null default ''::text
svc_point.create_time timestamp with time zone not null default now()
svc_point.operator_id bigint not null default 0
svc_point.operator_name text not null default ''::text
svc_point.operate_time timestamp with time zone not null default now()
svc_point.deadband double precision
svc_point_attribute.id bigint not null identity
svc_point_attribute.tenant_id bigint not null
svc_point_attribute.attribute_name text not null
svc_point_attribute.attribute_code text not null
svc_point_attribute.attribute_type_flag smallint not null
svc_point_attribute.default_value text not null default ''::text
svc_point_attribute.driver_id bigint not null
svc_point_attribute.attribute_ext jsonb not null default '{}'::jsonb
svc_point_attribute.enable_flag smallint not null default 0
svc_point_attribute.signature text not null default ''::text
svc_point_attribute.version integer not null default 1
svc_point_attribute.remark text not null default ''::text
svc_point_attribute.creator_id bigint not null default 0
svc_point_attribute.creator_name text not null default ''::text
svc_point_attribute.create_time timestamp with time zone not null default now()
svc_point_attribute.operator_id bigint not null default 0
svc_point_attribute.operator_name text not null default ''::text
svc_point_attribute.operate_time timestamp with time zone not null default now()
svc_point_attribute_config.id bigint not null identity
svc_point_attribute_config.tenant_id bigint not null
svc_point_attribute_config.attribute_id bigint not null
svc_point_attribute_config.config_value text not null
svc_point_attribute_config.config_ext jsonb not null default '{}'::jsonb
svc_point_attribute_config.device_id bigint not null
svc_point_attribute_config.point_id bigint not null
svc_point_attribute_config.enable_flag smallint not null default 0
svc_point_attribute_config.signature text not null default ''::text
svc_point_attribute_config.version integer not null default 1
svc_point_attribute_config.remark text not null default ''::text
svc_point_attribute_config.creator_id bigint not null default 0
svc_point_attribute_config.creator_name text not null default ''::text
svc_point_attribute_config.create_time timestamp with time zone not null default now()
svc_point_attribute_config.operator_id bigint not null default 0
svc_point_attribute_config.operator_name text not null default ''::text
svc_point_attribute_config.operate_time timestamp with time zone not null default now()
svc_point_command_history.id bigint not null identity
svc_point_command_history.command_id uuid not null
svc_point_command_history.tenant_id bigint not null
svc_point_command_history.type smallint not null
svc_point_command_history.device_id bigint not null
svc_point_command_history.point_id bigint not null
svc_point_command_history.request_value text
svc_point_command_history.response_value text
svc_point_command_history.status smallint not null default 0
svc_point_command_history.verification smallint not null default 0
svc_point_command_history.read_back_value text
svc_point_command_history.error_code text not null default ''::text
svc_point_command_history.error_message text not null default ''::text
svc_point_command_history.source smallint not null default 0
svc_point_command_history.source_user_id bigint not null default 0
svc_point_command_history.action_id uuid
svc_point_command_history.occur_time timestamp with time zone not null
svc_point_command_history.send_time timestamp with time zone
svc_point_command_history.finish_time timestamp with time zone
svc_point_command_history.expire_time timestamp with time zone not null
svc_point_command_history.schema_version smallint not null default 1
svc_point_command_history.create_time timestamp with time zone not null default now()
svc_point_command_history.operate_time timestamp with time zone not null default now()
svc_point_command_history.before_value text
svc_point_command_history.seen_value text
svc_point_command_history.seen_time timestamp with time zone
svc_point_command_history.settled_time timestamp with time zone
svc_point_command_history.open_until timestamp with time zone
svc_point_command_history.looked_time timestamp with time zone
svc_point_command_history.seen_news boolean not null default false
svc_point_command_history.effect_digest text
svc_point_command_history.reconfigured_time timestamp with time zone
svc_point_command_history.point_type_flag smallint
svc_point_command_history.value_decimal smallint
svc_point_command_history.point_unit text
svc_point_command_history.waiting_time timestamp with time zone
svc_point_latest.tenant_id bigint not null
svc_point_latest.device_id bigint not null
svc_point_latest.point_id bigint not null
svc_point_latest.driver_id bigint not null
svc_point_latest.create_time timestamp with time zone not null
svc_point_latest.seq bigint not null default 0
svc_point_latest.raw_value text not null
svc_point_latest.cal_value text not null
svc_point_latest.num_value double precision
svc_point_latest.quality smallint not null default 0
svc_point_latest.receive_time timestamp with time zone not null
svc_point_latest.claimed_time timestamp with time zone
svc_point_latest.issue text
svc_point_value.tenant_id bigint not null
svc_point_value.device_id bigint not null
svc_point_value.point_id bigint not null
svc_point_value.driver_id bigint not null
svc_point_value.create_time timestamp with time zone not null
svc_point_value.seq bigint not null default 0
svc_point_value.raw_value text not null
svc_point_value.cal_value text not null
svc_point_value.num_value double precision
svc_point_value.quality smallint not null default 0
svc_point_value.receive_time timestamp with time zone not null
svc_point_value.claimed_time timestamp with time zone
svc_point_value.issue text
svc_point_value_default.tenant_id bigint not null
svc_point_value_default.device_id bigint not null
svc_point_value_default.point_id bigint not null
svc_point_value_default.driver_id bigint not null
svc_point_value_default.create_time timestamp with time zone not null
svc_point_value_default.seq bigint not null default 0
svc_point_value_default.raw_value text not null
svc_point_value_default.cal_value text not null
svc_point_value_default.num_value double precision
svc_point_value_default.quality smallint not null default 0
svc_point_value_default.receive_time timestamp with time zone not null
svc_point_value_default.claimed_time timestamp with time zone
svc_point_value_default.issue text
svc_principal.id bigint not null identity
svc_principal.principal_type text not null default 'USER'::text
svc_principal.principal_name text not null default ''::text
svc_principal.display_name text not null default ''::text
svc_principal.source_type text not null default 'LOCAL'::text
svc_principal.enable_flag smallint not null default 0
svc_principal.locked_flag smallint not null default 0
svc_principal.last_login_time timestamp with time zone
svc_principal.principal_ext jsonb not null default '{}'::jsonb
svc_principal.remark text not null default ''::text
svc_principal.creator_id bigint not null default 0
svc_principal.creator_name text not null default ''::text
svc_principal.create_time timestamp with time zone not null default now()
svc_principal.operator_id bigint not null default 0
svc_principal.operator_name text not null default ''::text
svc_principal.operate_time timestamp with time zone not null default now()
svc_profile.id bigint not null identity
svc_profile.tenant_id bigint not null
svc_profile.profile_name text not null
svc_profile.profile_code text not null
svc_profile.profile_share_flag smallint not null default 0
svc_profile.profile_type_flag smallint not null default 2
svc_profile.profile_ext jsonb not null default '{}'::jsonb
svc_profile.enable_flag smallint not null default 0
svc_profile.signature text not null default ''::text
svc_profile.version integer not null default 1
svc_profile.remark text not null default ''::text
svc_profile.creator_id bigint not null default 0
svc_profile.creator_name text not null default ''::text
svc_profile.create_time timestamp with time zone not null default now()
svc_profile.operator_id bigint not null default 0
svc_profile.operator_name text not null default ''::text
svc_profile.operate_time timestamp with time zone not null default now()
svc_resource.id bigint not null identity
svc_resource.parent_resource_id bigint not null default 0
svc_resource.resource_name text not null default ''::text
svc_resource.resource_code text not null
svc_resource.service_name text not null default ''::text
svc_resource.resource_type_flag smallint not null default 6
svc_resource.resource_scope_flag smallint not null default 3
svc_resource.entity_id bigint not null default 0
svc_resource.resource_ext jsonb not null default '{}'::jsonb
svc_resource.enable_flag smallint not null default 0
svc_resource.remark text not null default ''::text
svc_resource.creator_id bigint not null default 0
svc_resource.creator_name text not null default ''::text
svc_resource.create_time timestamp with time zone not null default now()
svc_resource.operator_id bigint not null default 0
svc_resource.operator_name text not null default ''::text
svc_resource.operate_time timestamp with time zone not null default now()
svc_retention_class.id bigint not null identity
svc_retention_class.tenant_id bigint not null
svc_retention_class.class_name text not null
svc_retention_class.default_flag smallint not null default 0
svc_retention_class.profile_ids jsonb not null default '[]'::jsonb
svc_retention_class.value_days integer
svc_retention_class.begin_time timestamp with time zone not null
svc_retention_class.remark text not null default ''::text
svc_retention_class.creator_id bigint not null default 0
svc_retention_class.creator_name text not null default ''::text
svc_retention_class.create_time timestamp with time zone not null default now()
svc_retention_class.operator_id bigint not null default 0
svc_retention_class.operator_name text not null default ''::text
svc_retention_class.operate_time timestamp with time zone not null default now()
svc_retention_class.alarm_days integer
svc_retention_class.notification_days integer
svc_retention_class.event_days integer
svc_retention_class.conversation_days integer
svc_retention_hold.id bigint not null identity
svc_retention_hold.hold_name text not null
svc_retention_hold.device_id bigint not null default 0
svc_retention_hold.from_time timestamp with time zone
svc_retention_hold.to_time timestamp with time zone
svc_retention_hold.reason text not null
svc_retention_hold.tenant_id bigint not null
svc_retention_hold.remark text not null default ''::text
svc_retention_hold.creator_id bigint not null default 0
svc_retention_hold.creator_name text not null default ''::text
svc_retention_hold.create_time timestamp with time zone not null default now()
svc_retention_hold.operator_id bigint not null default 0
svc_retention_hold.operator_name text not null default ''::text
svc_retention_hold.operate_time timestamp with time zone not null default now()
svc_retention_run.tenant_id bigint not null
svc_retention_run.due_time timestamp with time zone not null
svc_retention_run.done_time timestamp with time zone
svc_retention_run.value_count bigint not null default 0
svc_role.id bigint not null identity
svc_role.parent_role_id bigint not null default 0
svc_role.role_name text not null default ''::text
svc_role.role_code text not null
svc_role.role_ext jsonb not null default '{}'::jsonb
svc_role.enable_flag smallint not null default 0
svc_role.tenant_id bigint not null
svc_role.remark text not null default ''::text
svc_role.creator_id bigint not null default 0
svc_role.creator_name text not null default ''::text
svc_role.create_time timestamp with time zone not null default now()
svc_role.operator_id bigint not null default 0
svc_role.operator_name text not null default ''::text
svc_role.operate_time timestamp with time zone not null default now()
svc_role_principal_bind.id bigint not null identity
svc_role_principal_bind.tenant_id bigint not null
svc_role_principal_bind.role_id bigint not null
svc_role_principal_bind.principal_id bigint not null
svc_role_principal_bind.principal_type text not null default 'USER'::text
svc_role_principal_bind.remark text not null default ''::text
svc_role_principal_bind.creator_id bigint not null default 0
svc_role_principal_bind.creator_name text not null default ''::text
svc_role_principal_bind.create_time timestamp with time zone not null default now()
svc_role_principal_bind.operator_id bigint not null default 0
svc_role_principal_bind.operator_name text not null default ''::text
svc_role_principal_bind.operate_time timestamp with time zone not null default now()
svc_role_resource_bind.id bigint not null identity
svc_role_resource_bind.role_id bigint not null
svc_role_resource_bind.resource_id bigint not null
svc_role_resource_bind.remark text not null default ''::text
svc_role_resource_bind.creator_id bigint not null default 0
svc_role_resource_bind.creator_name text not null default ''::text
svc_role_resource_bind.create_time timestamp with time zone not null default now()
svc_role_resource_bind.operator_id bigint not null default 0
svc_role_resource_bind.operator_name text not null default ''::text
svc_role_resource_bind.operate_time timestamp with time zone not null default now()
svc_rule.id bigint not null identity
svc_rule.alarm_target_type_flag smallint not null
svc_rule.rule_name text not null
svc_rule.rule_code text not null default ''::text
svc_rule.entity_id bigint not null default 0
svc_rule.notify_id bigint not null default 0
svc_rule.message_id bigint not null default 0
svc_rule.rule_ext jsonb not null default '{}'::jsonb
svc_rule.enable_flag smallint not null default 0
svc_rule.tenant_id bigint not null
svc_rule.remark text not null default ''::text
svc_rule.creator_id bigint not null default 0
svc_rule.creator_name text not null default ''::text
svc_rule.create_time timestamp with time zone not null default now()
svc_rule.operator_id bigint not null default 0
svc_rule.operator_name text not null default ''::text
svc_rule.operate_time timestamp with time zone not null default now()
svc_rule_state.id bigint not null identity
svc_rule_state.rule_id bigint not null default 0
svc_rule_state.alarm_target_type_flag smallint not null
svc_rule_state.entity_id bigint not null
svc_rule_state.device_id bigint not null default 0
svc_rule_state.fingerprint text not null
svc_rule_state.entity_state_flag smallint not null default 0
svc_rule_state.first_trigger_time timestamp with time zone
svc_rule_state.last_trigger_time timestamp with time zone
svc_rule_state.last_recover_time timestamp with time zone
svc_rule_state.last_notify_time timestamp with time zone
svc_rule_state.trigger_count bigint not null default 0
svc_rule_state.alarm_id bigint not null default 0
svc_rule_state.holding_since timestamp with time zone
svc_rule_state.last_fact_time timestamp with time zone
svc_rule_state.entity_state_ext jsonb not null default '{}'::jsonb
svc_rule_state.tenant_id bigint not null
svc_rule_state.remark text not null default ''::text
svc_rule_state.creator_id bigint not null default 0
svc_rule_state.creator_name text not null default ''::text
svc_rule_state.create_time timestamp with time zone not null default now()
svc_rule_state.operator_id bigint not null default 0
svc_rule_state.operator_name text not null default ''::text
svc_rule_state.operate_time timestamp with time zone not null default now()
svc_rule_state.last_fact_seq bigint not null default 0
svc_rule_state.silenced_until timestamp with time zone
svc_rule_state.silenced_by text not null default ''::text
svc_rule_state.silence_reason text not null default ''::text
svc_rule_state.memory jsonb not null default '{}'::jsonb
svc_service_account.id bigint not null identity
svc_service_account.principal_id bigint not null
svc_service_account.tenant_id bigint not null
svc_service_account.service_account_name text not null
svc_service_account.owner_principal_id bigint not null default 0
svc_service_account.purpose text not null default ''::text
svc_service_account.expire_time timestamp with time zone
svc_service_account.last_used_time timestamp with time zone
svc_service_account.credential_policy_ext jsonb not null default '{}'::jsonb
svc_service_account.enable_flag smallint not null default 0
svc_service_account.remark text not null default ''::text
svc_service_account.creator_id bigint not null default 0
svc_service_account.creator_name text not null default ''::text
svc_service_account.create_time timestamp with time zone not null default now()
svc_service_account.operator_id bigint not null default 0
svc_service_account.operator_name text not null default ''::text
svc_service_account.operate_time timestamp with time zone not null default now()
svc_session.id bigint not null identity
svc_session.conversation_id text not null
svc_session.title text not null default ''::text
svc_session.session_ext jsonb not null default '{}'::jsonb
svc_session.tenant_id bigint not null
svc_session.user_id bigint not null
svc_session.remark text not null default ''::text
svc_session.creator_id bigint not null default 0
svc_session.creator_name text not null default ''::text
svc_session.create_time timestamp with time zone not null default now()
svc_session.operator_id bigint not null default 0
svc_session.operator_name text not null default ''::text
svc_session.operate_time timestamp with time zone not null default now()
svc_standing_approval.id bigint not null identity
svc_standing_approval.tenant_id bigint not null
svc_standing_approval.approval_id uuid not null
svc_standing_approval.agent_id bigint not null
svc_standing_approval.client_id text not null default ''::text
svc_standing_approval.maker_id bigint not null
svc_standing_approval.maker_name text not null
svc_standing_approval.card jsonb not null
svc_standing_approval.digest text not null
svc_standing_approval.until_time timestamp with time zone not null
svc_standing_approval.max_uses integer not null
svc_standing_approval.used integer not null default 0
svc_standing_approval.ended text not null default ''::text
svc_standing_approval.ended_name text not null default ''::text
svc_standing_approval.ended_why text not null default ''::text
svc_standing_approval.ended_time timestamp with time zone
svc_standing_approval.create_time timestamp with time zone not null
svc_standing_use.tenant_id bigint not null
svc_standing_use.approval_id uuid not null
svc_standing_use.action_id uuid not null
svc_standing_use.device_id bigint not null
svc_standing_use.point_id bigint not null
svc_standing_use.use_time timestamp with time zone not null
svc_tenant.id bigint not null identity
svc_tenant.tenant_name text not null default ''::text
svc_tenant.tenant_code text not null
svc_tenant.tenant_ext jsonb not null default '{}'::jsonb
svc_tenant.enable_flag smallint not null default 0
svc_tenant.remark text not null default ''::text
svc_tenant.creator_id bigint not null default 0
svc_tenant.creator_name text not null default ''::text
svc_tenant.create_time timestamp with time zone not null default now()
svc_tenant.operator_id bigint not null default 0
svc_tenant.operator_name text not null default ''::text
svc_tenant.operate_time timestamp with time zone not null default now()
svc_tenant.timezone text not null default 'UTC'::text
svc_tenant_membership.id bigint not null identity
svc_tenant_membership.tenant_id bigint not null
svc_tenant_membership.principal_id bigint not null
svc_tenant_membership.principal_type text not null default 'USER'::text
svc_tenant_membership.membership_status text not null default 'ACTIVE'::text
svc_tenant_membership.joined_time timestamp with time zone not null default now()
svc_tenant_membership.membership_ext jsonb not null default '{}'::jsonb
svc_tenant_membership.remark text not null default ''::text
svc_tenant_membership.creator_id bigint not null default 0
svc_tenant_membership.creator_name text not null default ''::text
svc_tenant_membership.create_time timestamp with time zone not null default now()
svc_tenant_membership.operator_id bigint not null default 0
svc_tenant_membership.operator_name text not null default ''::text
svc_tenant_membership.operate_time timestamp with time zone not null default now()
svc_tenant_name.tenant_id bigint not null
svc_tenant_name.kind text not null
svc_tenant_name.name text not null
svc_tenant_name.principal_id bigint not null
svc_tenant_total.tenant_id bigint not null
svc_tenant_total.entity text not null
svc_tenant_total.id bigint not null identity
svc_tenant_total.amount bigint not null
svc_tenant_version.tenant_id bigint not null
svc_tenant_version.rights bigint not null default 0
svc_tenant_version.members bigint not null default 0
svc_tenant_version.devices bigint not null default 0
svc_tenant_version.names bigint not null default 0
svc_token_revocation.tenant_id bigint not null
svc_token_revocation.principal_id bigint not null
svc_token_revocation.revoked_before_ms bigint not null
svc_turn_relay.id bigint not null identity
svc_turn_relay.tenant_id bigint not null
svc_turn_relay.turn_id text not null
svc_turn_relay.owner text not null
svc_turn_relay.kind text not null
svc_turn_relay.place bigint not null
svc_turn_relay.body text not null
svc_turn_relay.create_time timestamp with time zone not null
svc_user.id bigint not null identity
svc_user.principal_id bigint not null
svc_user.user_name text not null default ''::text
svc_user.nick_name text not null default ''::text
svc_user.phone text not null default ''::text
svc_user.email text not null default ''::text
svc_user.social_ext jsonb not null default '{}'::jsonb
svc_user.identity_ext jsonb not null default '{}'::jsonb
svc_user.enable_flag smallint not null default 0
svc_user.remark text not null default ''::text
svc_user.creator_id bigint not null default 0
svc_user.creator_name text not null default ''::text
svc_user.create_time timestamp with time zone not null default now()
svc_user.operator_id bigint not null default 0
svc_user.operator_name text not null default ''::text
svc_user.operate_time timestamp with time zone not null default now()
svc_value_closing.tenant_id bigint not null
svc_value_closing.closed_until timestamp with time zone
svc_value_closing.closing_until timestamp with time zone
svc_value_closing.next_device_id bigint not null default 0
svc_value_closing.next_point_id bigint not null default 0
svc_value_closing.next_time timestamp with time zone not null default '-infinity'::timestamp with time zone
svc_value_closing.turn_time timestamp with time zone
svc_value_closing.due_time timestamp with time zone
svc_value_closing.turns bigint not null default 0
svc_value_closing.failures integer not null default 0
svc_value_delay.tenant_id bigint not null
svc_value_delay.start timestamp with time zone not null
svc_value_delay.delay_ms integer not null
svc_value_delay.value_count bigint not null
svc_value_deletion.id bigint not null identity
svc_value_deletion.deletion_name text not null
svc_value_deletion.device_id bigint not null
svc_value_deletion.point_id bigint not null
svc_value_deletion.from_time timestamp with time zone not null
svc_value_deletion.to_time timestamp with time zone not null
svc_value_deletion.reason text not null
svc_value_deletion.state_flag smallint not null default 0
svc_value_deletion.value_count bigint not null default 0
svc_value_deletion.next_time timestamp with time zone not null default '-infinity'::timestamp with time zone
svc_value_deletion.finish_time timestamp with time zone
svc_value_deletion.tenant_id bigint not null
svc_value_deletion.remark text not null default ''::text
svc_value_deletion.creator_id bigint not null default 0
svc_value_deletion.creator_name text not null default ''::text
svc_value_deletion.create_time timestamp with time zone not null default now()
svc_value_deletion.operator_id bigint not null default 0
svc_value_deletion.operator_name text not null default ''::text
svc_value_deletion.operate_time timestamp with time zone not null default now()
svc_value_deletion.import_id bigint
svc_value_hour.tenant_id bigint not null
svc_value_hour.device_id bigint not null
svc_value_hour.point_id bigint not null
svc_value_hour.start timestamp with time zone not null
svc_value_hour.driver_id bigint not null
svc_value_hour.value_count integer not null
svc_value_hour.bad_count integer not null
svc_value_hour.number_count integer not null
svc_value_hour.lowest double precision
svc_value_hour.highest double precision
svc_value_hour.total double precision
svc_value_hour.first_number double precision
svc_value_hour.last_number double precision
svc_value_hour.increase double precision
svc_value_hour.first_ms integer
svc_value_hour.last_ms integer
svc_value_hour.good_time timestamp with time zone
svc_value_hour.hour bytea not null
svc_value_hour.end_time timestamp with time zone not null
svc_value_hour.receive_time timestamp with time zone not null
svc_value_import.id bigint not null identity
svc_value_import.import_name text not null
svc_value_import.receive_time timestamp with time zone not null
svc_value_import.from_time timestamp with time zone not null
svc_value_import.to_time timestamp with time zone not null
svc_value_import.sent_count integer not null
svc_value_import.value_count integer not null default 0
svc_value_import.tenant_id bigint not null
svc_value_import.remark text not null default ''::text
svc_value_import.creator_id bigint not null default 0
svc_value_import.creator_name text not null default ''::text
svc_value_import.create_time timestamp with time zone not null default now()
svc_value_import.operator_id bigint not null default 0
svc_value_import.operator_name text not null default ''::text
svc_value_import.operate_time timestamp with time zone not null default now()
svc_value_import_series.tenant_id bigint not null
svc_value_import_series.import_id bigint not null
svc_value_import_series.device_id bigint not null
svc_value_import_series.point_id bigint not null
svc_value_import_series.from_time timestamp with time zone not null
svc_value_import_series.to_time timestamp with time zone not null
svc_value_import_series.next_time timestamp with time zone not null default '-infinity'::timestamp with time zone
svc_value_refusal.tenant_id bigint not null
svc_value_refusal.driver_code text not null
svc_value_refusal.reason text not null
svc_value_refusal.refused bigint not null default 0
svc_value_refusal.device_id bigint not null
svc_value_refusal.point_id bigint not null
svc_value_refusal.first_time timestamp with time zone not null
svc_value_refusal.last_time timestamp with time zone not null
svc_waiting_endpoint.id bigint not null identity
svc_waiting_endpoint.tenant_id bigint not null
svc_waiting_endpoint.driver_code text not null
svc_waiting_endpoint.endpoint text not null
svc_waiting_endpoint.key_device_id bigint not null default 0
svc_waiting_endpoint.assigned boolean not null default false
svc_waiting_endpoint.host text not null
svc_waiting_endpoint.since_time timestamp with time zone not null
svc_waiting_endpoint.last_time timestamp with time zone not null
svc_waiting_endpoint.attempts integer not null

-- constraints
svc_action CHECK (((status >= 0) AND (status <= 9)))
svc_action PRIMARY KEY (id)
svc_action UNIQUE (action_id)
svc_action_key PRIMARY KEY (tenant_id, user_id, tool, key)
svc_action_step CHECK (((step >= 1) AND (step <= 20)))
svc_action_step PRIMARY KEY (tenant_id, action_id, step)
svc_action_step UNIQUE (command_id)
svc_action_step UNIQUE (tenant_id, action_id, device_id, point_id)
svc_agent_hold CHECK ((held_flag = ANY (ARRAY[0, 1])))
svc_agent_hold PRIMARY KEY (tenant_id, principal_id)
svc_agent_switch CHECK ((hold_flag = ANY (ARRAY[0, 1])))
svc_agent_switch CHECK ((mode = ANY (ARRAY['ON'::text, 'READ_ONLY'::text, 'OFF'::text])))
svc_agent_switch PRIMARY KEY (tenant_id)
svc_agent_usage CHECK ((kind = ANY (ARRAY['connection'::text, 'principal'::text])))
svc_agent_usage PRIMARY KEY (tenant_id, kind, subject_id, bucket)
svc_alarm_comment PRIMARY KEY (id)
svc_api CHECK (((api_type_flag >= 0) AND (api_type_flag <= 3)))
svc_api CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_api PRIMARY KEY (id)
svc_api UNIQUE (api_code)
svc_approval_switch PRIMARY KEY (tenant_id)
svc_attachment CHECK (((size >= 1) AND (size <= 10485760)))
svc_attachment PRIMARY KEY (id)
svc_attachment UNIQUE (file_path)
svc_audit_seal CHECK ((log = ANY (ARRAY['identity'::text, 'mcp'::text, 'change'::text])))
svc_audit_seal PRIMARY KEY (log, seq)
svc_audit_seal UNIQUE (log, row_id)
svc_change_log CHECK ((operation = ANY (ARRAY['ADD'::text, 'UPDATE'::text, 'DELETE'::text])))
svc_change_log PRIMARY KEY (id)
svc_chat_budget CHECK ((amount > (0)::numeric))
svc_chat_budget CHECK ((char_length(subject) <= 200))
svc_chat_budget CHECK ((kind = ANY (ARRAY['tenant'::text, 'person'::text, 'key'::text, 'end_user'::text])))
svc_chat_budget CHECK ((period = ANY (ARRAY['hour'::text, 'day'::text, 'month'::text])))
svc_chat_budget CHECK ((unit = ANY (ARRAY['tokens'::text, 'cost'::text])))
svc_chat_budget PRIMARY KEY (id)
svc_chat_budget UNIQUE (tenant_id, kind, subject, unit, currency, period)
svc_chat_budget_hold PRIMARY KEY (id)
svc_chat_budget_use PRIMARY KEY (tenant_id, budget_id, subject, begins)
svc_chat_handle PRIMARY KEY (tenant_id, user_id, handle, conversation_id)
svc_chat_origin PRIMARY KEY (id)
svc_chat_origin UNIQUE (tenant_id, origin)
svc_chat_step CHECK ((ended = ANY (ARRAY[0, 1, 2])))
svc_chat_step PRIMARY KEY (id)
svc_command CHECK (((call_type_flag >= 0) AND (call_type_flag <= 1)))
svc_command CHECK (((command_type_flag >= 0) AND (command_type_flag <= 2)))
svc_command CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_command PRIMARY KEY (id)
svc_command UNIQUE (tenant_id, profile_id, command_code)
svc_command UNIQUE (tenant_id, profile_id, command_name)
svc_command_attribute CHECK (((attribute_type_flag >= 0) AND (attribute_type_flag <= 7)))
svc_command_attribute CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_command_attribute PRIMARY KEY (id)
svc_command_attribute UNIQUE (tenant_id, driver_id, attribute_code)
svc_command_attribute_config CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_command_attribute_config PRIMARY KEY (id)
svc_command_attribute_config UNIQUE (tenant_id, device_id, command_id, attribute_id)
svc_command_history CHECK (((source >= 0) AND (source <= 2)))
svc_command_history CHECK (((status >= 0) AND (status <= 8)))
svc_command_history PRIMARY KEY (id)
svc_command_history UNIQUE (record_id)
svc_command_param CHECK (((param_direction_flag >= 0) AND (param_direction_flag <= 1)))
svc_command_param CHECK (((param_type_flag >= 0) AND (param_type_flag <= 7)))
svc_command_param CHECK (((required_flag >= 0) AND (required_flag <= 1)))
svc_command_param CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_command_param PRIMARY KEY (id)
svc_command_param UNIQUE (tenant_id, command_id, param_code)
svc_dead_letter PRIMARY KEY (id)
svc_device CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_device PRIMARY KEY (id)
svc_device UNIQUE (tenant_id, device_code)
svc_device UNIQUE (tenant_id, device_name)
svc_device_import CHECK (((((added + changed) + unchanged) + refused) <= total))
svc_device_import CHECK ((status = ANY (ARRAY['RUNNING'::text, 'DONE'::text, 'CANCELLED'::text, 'FAILED'::text])))
svc_device_import CHECK ((total >= 0))
svc_device_import PRIMARY KEY (id)
svc_device_import UNIQUE (import_id)
svc_device_import_refusal PRIMARY KEY (tenant_id, import_id, row_number)
svc_device_import_slice PRIMARY KEY (tenant_id, import_id, slice)
svc_device_registration CHECK (((char_length(endpoint) >= 1) AND (char_length(endpoint) <= 255)))
svc_device_registration CHECK ((left_out >= 0))
svc_device_registration PRIMARY KEY (tenant_id, device_id)
svc_driver CHECK (((driver_type_flag >= 0) AND (driver_type_flag <= 3)))
svc_driver CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_driver PRIMARY KEY (id)
svc_driver UNIQUE (tenant_id, driver_code)
svc_driver UNIQUE (tenant_id, driver_name)
svc_driver_attribute CHECK (((attribute_type_flag >= 0) AND (attribute_type_flag <= 7)))
svc_driver_attribute CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_driver_attribute PRIMARY KEY (id)
svc_driver_attribute UNIQUE (tenant_id, driver_id, attribute_code)
svc_driver_attribute_config CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_driver_attribute_config PRIMARY KEY (id)
svc_driver_attribute_config UNIQUE (tenant_id, device_id, attribute_id)
svc_endpoint_claim CHECK (((char_length(endpoint) >= 1) AND (char_length(endpoint) <= 255)))
svc_endpoint_claim PRIMARY KEY (id)
svc_entity_alarm CHECK (((alarm_level_flag >= 0) AND (alarm_level_flag <= 3)))
svc_entity_alarm CHECK (((alarm_source_flag >= 0) AND (alarm_source_flag <= 5)))
svc_entity_alarm CHECK (((alarm_target_type_flag >= 0) AND (alarm_target_type_flag <= 3)))
svc_entity_alarm CHECK (((alarm_type_flag >= 0) AND (alarm_type_flag <= 4)))
svc_entity_alarm CHECK (((state_flag >= 1) AND (state_flag <= 3)))
svc_entity_alarm CHECK ((confirm_flag = ANY (ARRAY[0, 1])))
svc_entity_alarm PRIMARY KEY (id)
svc_entity_state CHECK (((entity_state_flag >= 0) AND (entity_state_flag <= 3)))
svc_entity_state CHECK (((entity_type_flag >= 0) AND (entity_type_flag <= 8)))
svc_entity_state CHECK (((last_state_flag >= 0) AND (last_state_flag <= 3)))
svc_entity_state PRIMARY KEY (tenant_id, entity_type_flag, entity_id)
svc_event CHECK (((event_level_flag >= 0) AND (event_level_flag <= 3)))
svc_event CHECK (((event_type_flag >= 0) AND (event_type_flag <= 3)))
svc_event CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_event PRIMARY KEY (id)
svc_event UNIQUE (tenant_id, profile_id, event_code)
svc_event UNIQUE (tenant_id, profile_id, event_name)
svc_event_attribute CHECK (((attribute_type_flag >= 0) AND (attribute_type_flag <= 7)))
svc_event_attribute CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_event_attribute PRIMARY KEY (id)
svc_event_attribute UNIQUE (tenant_id, driver_id, attribute_code)
svc_event_attribute_config CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_event_attribute_config PRIMARY KEY (id)
svc_event_attribute_config UNIQUE (tenant_id, device_id, event_id, attribute_id)
svc_event_history CHECK (((event_level_flag >= 0) AND (event_level_flag <= 3)))
svc_event_history CHECK (((event_type_flag >= 0) AND (event_type_flag <= 3)))
svc_event_history CHECK ((acknowledge_flag = ANY (ARRAY[0, 1])))
svc_event_history PRIMARY KEY (id)
svc_event_history UNIQUE (tenant_id, record_id)
svc_event_param CHECK (((param_type_flag >= 0) AND (param_type_flag <= 7)))
svc_event_param CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_event_param PRIMARY KEY (id)
svc_event_param UNIQUE (tenant_id, event_id, param_code)
svc_external_identity CHECK ((email_verified = ANY (ARRAY[0, 1])))
svc_external_identity CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_external_identity PRIMARY KEY (id)
svc_external_identity UNIQUE (provider_id, external_subject)
svc_external_identity UNIQUE (provider_id, principal_id)
svc_feed CHECK ((kind = ANY (ARRAY['alarm'::text, 'action'::text, 'command'::text, 'device'::text])))
svc_feed PRIMARY KEY (id)
svc_feed_head PRIMARY KEY (tenant_id)
svc_firmware_chunk CHECK ((chunk >= 0))
svc_firmware_chunk PRIMARY KEY (tenant_id, package_id, chunk)
svc_firmware_package CHECK (((size >= 1) AND (size <= 16777216)))
svc_firmware_package CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
svc_firmware_package PRIMARY KEY (id)
svc_firmware_package UNIQUE (tenant_id, package_name, package_version)
svc_firmware_rollout CHECK (((failure_percent >= 1) AND (failure_percent <= 100)))
svc_firmware_rollout CHECK (((minutes >= 1) AND (minutes <= 10080)))
svc_firmware_rollout CHECK (((total >= 1) AND (total <= 10000)))
svc_firmware_rollout CHECK (((wave_size >= 1) AND (wave_size <= 1000)))
svc_firmware_rollout CHECK ((status = ANY (ARRAY['PROPOSED'::text, 'REJECTED'::text, 'RUNNING'::text, 'PAUSED'::text, 'STOPPED'::text, 'DONE'::text])))
svc_firmware_rollout PRIMARY KEY (id)
svc_firmware_update CHECK ((answer = ANY (ARRAY['NONE'::text, 'SENT'::text, 'ACCEPTED'::text, 'REFUSED'::text])))
svc_firmware_update CHECK ((ended_as = ANY (ARRAY['UNKNOWN'::text, 'MISMATCH'::text])))
svc_firmware_update CHECK ((status = ANY (ARRAY['PROPOSED'::text, 'WAITING'::text, 'BEGUN'::text, 'SENDING'::text, 'DOWNLOADED'::text, 'UPDATING'::text, 'VERIFIED'::text, 'FAILED'::text, 'MISMATCH'::text, 'UNKNOWN'::text, 'CANCELLED'::text])))
svc_firmware_update PRIMARY KEY (tenant_id, rollout_id, device_id)
svc_firmware_update UNIQUE (update_id)
svc_group CHECK (((entity_type_flag >= 0) AND (entity_type_flag <= 8)))
svc_group CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_group PRIMARY KEY (id)
svc_group UNIQUE (tenant_id, entity_type_flag, parent_group_id, group_name)
svc_group_bind CHECK (((entity_type_flag >= 0) AND (entity_type_flag <= 8)))
svc_group_bind CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_group_bind PRIMARY KEY (id)
svc_group_bind UNIQUE (tenant_id, entity_type_flag, entity_id)
svc_heard_text PRIMARY KEY (tenant_id, user_id, client_id, digest)
svc_identity_audit_log PRIMARY KEY (id)
svc_identity_notice PRIMARY KEY (id)
svc_identity_provider CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_identity_provider CHECK ((provider_type = ANY (ARRAY['GOOGLE'::text, 'GITHUB'::text, 'OIDC'::text, 'SAML'::text])))
svc_identity_provider CHECK ((provisioning_mode = ANY (ARRAY['LINK_ONLY'::text, 'JIT'::text])))
svc_identity_provider PRIMARY KEY (id)
svc_identity_provider UNIQUE (tenant_id, provider_code)
svc_key CHECK ((audience = ANY (ARRAY['mcp'::text, 'api'::text])))
svc_key CHECK ((principal_type = ANY (ARRAY['USER'::text, 'SERVICE_ACCOUNT'::text])))
svc_key PRIMARY KEY (id)
svc_key UNIQUE (key_digest)
svc_key UNIQUE (tenant_id, principal_id, key_name)
svc_label CHECK (((entity_type_flag >= 0) AND (entity_type_flag <= 8)))
svc_label CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_label PRIMARY KEY (id)
svc_label UNIQUE (tenant_id, entity_type_flag, label_name)
svc_label_bind CHECK (((entity_type_flag >= 0) AND (entity_type_flag <= 8)))
svc_label_bind CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_label_bind PRIMARY KEY (id)
svc_label_bind UNIQUE (tenant_id, entity_type_flag, label_id, entity_id)
svc_listening PRIMARY KEY (kind)
svc_local_credential CHECK ((credential_type = 'PASSWORD'::text))
svc_local_credential CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_local_credential CHECK ((password_algorithm = ANY (ARRAY['ARGON2ID'::text, 'BCRYPT'::text])))
svc_local_credential CHECK ((require_password_change = ANY (ARRAY[0, 1])))
svc_local_credential PRIMARY KEY (id)
svc_local_credential UNIQUE (principal_id, credential_type)
svc_login_name PRIMARY KEY (name_digest)
svc_maintenance CHECK (((scope_flag >= 0) AND (scope_flag <= 4)))
svc_maintenance CHECK ((end_time >= begin_time))
svc_maintenance CHECK ((mode_flag = ANY (ARRAY[0, 1])))
svc_maintenance PRIMARY KEY (id)
svc_manual CHECK (((device_id = 0) OR (profile_id = 0)))
svc_manual CHECK (((size >= 1) AND (size <= 10485760)))
svc_manual CHECK ((pages > 0))
svc_manual CHECK ((whole_flag = ANY (ARRAY[0, 1])))
svc_manual PRIMARY KEY (id)
svc_manual UNIQUE (tenant_id, device_id, profile_id, manual_name)
svc_manual_page PRIMARY KEY (tenant_id, manual_id, page)
svc_mcp_audit_log CHECK ((principal_type = ANY (ARRAY['USER'::text, 'SERVICE_ACCOUNT'::text])))
svc_mcp_audit_log CHECK ((risk_level = ANY (ARRAY['LOW'::text, 'MEDIUM'::text, 'HIGH'::text])))
svc_mcp_audit_log CHECK ((status = ANY (ARRAY['SUCCESS'::text, 'DENIED'::text, 'POLICY_DENIED'::text, 'ERROR'::text, 'UNKNOWN'::text])))
svc_mcp_audit_log PRIMARY KEY (id)
svc_mcp_connection CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_mcp_connection CHECK ((grant_type = ANY (ARRAY['authorization_code'::text, 'client_credentials'::text])))
svc_mcp_connection CHECK ((jsonb_typeof(budgets) = 'object'::text))
svc_mcp_connection CHECK ((principal_type = ANY (ARRAY['USER'::text, 'SERVICE_ACCOUNT'::text])))
svc_mcp_connection CHECK ((read_only_flag = ANY (ARRAY[0, 1])))
svc_mcp_connection PRIMARY KEY (id)
svc_mcp_connection UNIQUE (tenant_id, principal_id, client_id, connection_name)
svc_mcp_connection_tool CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_mcp_connection_tool PRIMARY KEY (id)
svc_mcp_connection_tool UNIQUE (connection_id, tool_id)
svc_mcp_mail PRIMARY KEY (id)
svc_mcp_session PRIMARY KEY (tenant_id, session_id)
svc_mcp_tool_catalog CHECK ((destructive_hint = ANY (ARRAY[0, 1])))
svc_mcp_tool_catalog CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_mcp_tool_catalog CHECK ((idempotent_hint = ANY (ARRAY[0, 1])))
svc_mcp_tool_catalog CHECK ((open_world_hint = ANY (ARRAY[0, 1])))
svc_mcp_tool_catalog CHECK ((read_only_hint = ANY (ARRAY[0, 1])))
svc_mcp_tool_catalog CHECK ((risk_level = ANY (ARRAY['LOW'::text, 'MEDIUM'::text, 'HIGH'::text])))
svc_mcp_tool_catalog PRIMARY KEY (id)
svc_mcp_tool_catalog UNIQUE (tool_id)
svc_menu CHECK (((menu_level >= 0) AND (menu_level <= 4)))
svc_menu CHECK (((menu_type_flag >= 0) AND (menu_type_flag <= 1)))
svc_menu CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_menu PRIMARY KEY (id)
svc_menu UNIQUE (menu_code)
svc_message CHECK (((action_step >= 0) AND (action_step <= 2)))
svc_message CHECK (((status >= 0) AND (status <= 1)))
svc_message CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text])))
svc_message PRIMARY KEY (id)
svc_message UNIQUE (tenant_id, user_id, conversation_id, message_index)
svc_message_template CHECK (((message_level >= 0) AND (message_level <= 3)))
svc_message_template CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_message_template PRIMARY KEY (id)
svc_message_template UNIQUE (tenant_id, message_name)
svc_migration PRIMARY KEY (name)
svc_model_config CHECK (((default_flag >= 0) AND (default_flag <= 1)))
svc_model_config CHECK (((fallback_order >= 0) AND (fallback_order <= 99)))
svc_model_config CHECK (((temperature >= (0)::double precision) AND (temperature <= (2)::double precision)))
svc_model_config CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_model_config CHECK ((jsonb_typeof(parameters) = 'object'::text))
svc_model_config CHECK ((jsonb_typeof(price) = 'object'::text))
svc_model_config CHECK ((max_tokens >= 1))
svc_model_config PRIMARY KEY (id)
svc_model_config UNIQUE (tenant_id, model)
svc_model_provider CHECK (((default_flag >= 0) AND (default_flag <= 1)))
svc_model_provider CHECK (((provider_type >= 0) AND (provider_type <= 1)))
svc_model_provider CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_model_provider CHECK ((jsonb_typeof(learned) = 'object'::text))
svc_model_provider CHECK ((jsonb_typeof(timeouts) = 'object'::text))
svc_model_provider PRIMARY KEY (id)
svc_model_provider UNIQUE (tenant_id, name)
svc_notify CHECK (((auto_confirm_flag >= 0) AND (auto_confirm_flag <= 1)))
svc_notify CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_notify CHECK ((notify_interval >= 0))
svc_notify PRIMARY KEY (id)
svc_notify UNIQUE (tenant_id, notify_name)
svc_notify_channel CHECK (((channel_type_flag >= 0) AND (channel_type_flag <= 2)))
svc_notify_channel CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_notify_channel PRIMARY KEY (id)
svc_notify_channel UNIQUE (tenant_id, channel_name)
svc_notify_channel_bind CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_notify_channel_bind PRIMARY KEY (id)
svc_notify_channel_bind UNIQUE (tenant_id, notify_id, channel_id)
svc_notify_history CHECK (((channel_type_flag >= 0) AND (channel_type_flag <= 2)))
svc_notify_history CHECK (((status_flag >= 0) AND (status_flag <= 4)))
svc_notify_history CHECK ((event_flag = ANY (ARRAY[0, 1, 2])))
svc_notify_history CHECK ((retry_count >= 0))
svc_notify_history PRIMARY KEY (id)
svc_notify_ledger CHECK (((known_flag >= 0) AND (known_flag <= 2)))
svc_notify_ledger CHECK ((failure_count >= 0))
svc_notify_ledger CHECK ((fired_count >= 0))
svc_notify_ledger PRIMARY KEY (tenant_id, alarm_id, notify_id, channel_id)
svc_oauth_client CHECK ((client_type = ANY (ARRAY['PUBLIC'::text, 'CONFIDENTIAL'::text])))
svc_oauth_client CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_oauth_client PRIMARY KEY (id)
svc_oauth_client UNIQUE (client_id)
svc_oauth_store PRIMARY KEY (kind, id)
svc_point CHECK (((point_type_flag >= 0) AND (point_type_flag <= 7)))
svc_point CHECK (((rw_flag >= 0) AND (rw_flag <= 2)))
svc_point CHECK (((value_decimal >= 0) AND (value_decimal <= 15)))
svc_point CHECK ((deadband >= (0)::double precision))
svc_point CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_point PRIMARY KEY (id)
svc_point UNIQUE (tenant_id, profile_id, point_code)
svc_point UNIQUE (tenant_id, profile_id, point_name)
svc_point_attribute CHECK (((attribute_type_flag >= 0) AND (attribute_type_flag <= 7)))
svc_point_attribute CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_point_attribute PRIMARY KEY (id)
svc_point_attribute UNIQUE (tenant_id, driver_id, attribute_code)
svc_point_attribute_config CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_point_attribute_config PRIMARY KEY (id)
svc_point_attribute_config UNIQUE (tenant_id, device_id, point_id, attribute_id)
svc_point_command_history CHECK (((source >= 0) AND (source <= 3)))
svc_point_command_history CHECK (((status >= 0) AND (status <= 8)))
svc_point_command_history CHECK (((type >= 0) AND (type <= 4)))
svc_point_command_history CHECK (((verification >= 0) AND (verification <= 3)))
svc_point_command_history PRIMARY KEY (id)
svc_point_command_history UNIQUE (command_id)
svc_point_latest PRIMARY KEY (tenant_id, device_id, point_id)
svc_point_value CHECK (((quality >= 0) AND (quality <= 2)))
svc_point_value PRIMARY KEY (tenant_id, device_id, point_id, create_time, seq)
svc_point_value_default CHECK (((quality >= 0) AND (quality <= 2)))
svc_point_value_default PRIMARY KEY (tenant_id, device_id, point_id, create_time, seq)
svc_principal CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_principal CHECK ((locked_flag = ANY (ARRAY[0, 1])))
svc_principal CHECK ((principal_type = ANY (ARRAY['USER'::text, 'SERVICE_ACCOUNT'::text, 'SYSTEM'::text])))
svc_principal CHECK ((source_type = ANY (ARRAY['LOCAL'::text, 'EXTERNAL'::text, 'SYSTEM'::text])))
svc_principal PRIMARY KEY (id)
svc_profile CHECK (((profile_share_flag >= 0) AND (profile_share_flag <= 2)))
svc_profile CHECK (((profile_type_flag >= 0) AND (profile_type_flag <= 2)))
svc_profile CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_profile PRIMARY KEY (id)
svc_profile UNIQUE (tenant_id, profile_code)
svc_profile UNIQUE (tenant_id, profile_name)
svc_resource CHECK (((resource_scope_flag >= 0) AND (resource_scope_flag <= 4)))
svc_resource CHECK (((resource_type_flag >= 0) AND (resource_type_flag <= 6)))
svc_resource CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_resource PRIMARY KEY (id)
svc_resource UNIQUE (resource_code, service_name)
svc_retention_class CHECK (((alarm_days >= 1) AND (alarm_days <= 36500)))
svc_retention_class CHECK (((conversation_days >= 1) AND (conversation_days <= 36500)))
svc_retention_class CHECK (((default_flag = 1) OR (COALESCE(alarm_days, notification_days, event_days, conversation_days) IS NULL)))
svc_retention_class CHECK (((event_days >= 1) AND (event_days <= 36500)))
svc_retention_class CHECK (((notification_days >= 1) AND (notification_days <= 36500)))
svc_retention_class CHECK (((value_days >= 1) AND (value_days <= 36500)))
svc_retention_class CHECK ((default_flag = ANY (ARRAY[0, 1])))
svc_retention_class PRIMARY KEY (id)
svc_retention_class UNIQUE (tenant_id, class_name)
svc_retention_hold PRIMARY KEY (id)
svc_retention_run PRIMARY KEY (tenant_id)
svc_role CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_role PRIMARY KEY (id)
svc_role UNIQUE (tenant_id, role_code)
svc_role_principal_bind CHECK ((principal_type = ANY (ARRAY['USER'::text, 'SERVICE_ACCOUNT'::text, 'SYSTEM'::text])))
svc_role_principal_bind PRIMARY KEY (id)
svc_role_principal_bind UNIQUE (tenant_id, role_id, principal_id)
svc_role_resource_bind PRIMARY KEY (id)
svc_role_resource_bind UNIQUE (role_id, resource_id)
svc_rule CHECK (((alarm_target_type_flag >= 0) AND (alarm_target_type_flag <= 3)))
svc_rule CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_rule PRIMARY KEY (id)
svc_rule UNIQUE (tenant_id, rule_name)
svc_rule_state CHECK (((alarm_target_type_flag >= 0) AND (alarm_target_type_flag <= 3)))
svc_rule_state CHECK (((entity_state_flag >= 0) AND (entity_state_flag <= 3)))
svc_rule_state PRIMARY KEY (id)
svc_rule_state UNIQUE (tenant_id, fingerprint)
svc_service_account CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_service_account PRIMARY KEY (id)
svc_service_account UNIQUE (principal_id)
svc_service_account UNIQUE (tenant_id, service_account_name)
svc_session PRIMARY KEY (id)
svc_session UNIQUE (tenant_id, user_id, conversation_id)
svc_standing_approval CHECK (((used >= 0) AND (used <= max_uses)))
svc_standing_approval CHECK ((ended = ANY (ARRAY[''::text, 'REVOKED'::text, 'VOID'::text])))
svc_standing_approval CHECK ((max_uses > 0))
svc_standing_approval PRIMARY KEY (id)
svc_standing_approval UNIQUE (approval_id)
svc_standing_use PRIMARY KEY (tenant_id, approval_id, action_id)
svc_tenant CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_tenant PRIMARY KEY (id)
svc_tenant UNIQUE (tenant_code)
svc_tenant_membership CHECK ((membership_status = ANY (ARRAY['ACTIVE'::text, 'SUSPENDED'::text, 'INVITED'::text])))
svc_tenant_membership CHECK ((principal_type = ANY (ARRAY['USER'::text, 'SERVICE_ACCOUNT'::text, 'SYSTEM'::text])))
svc_tenant_membership PRIMARY KEY (id)
svc_tenant_membership UNIQUE (tenant_id, principal_id)
svc_tenant_name CHECK ((kind = ANY (ARRAY['LOGIN'::text, 'USER'::text])))
svc_tenant_name UNIQUE (tenant_id, kind, name)
svc_tenant_total PRIMARY KEY (tenant_id, entity, id)
svc_tenant_version PRIMARY KEY (tenant_id)
svc_token_revocation PRIMARY KEY (tenant_id, principal_id)
svc_turn_relay PRIMARY KEY (id)
svc_user CHECK ((enable_flag = ANY (ARRAY[0, 1])))
svc_user PRIMARY KEY (id)
svc_user UNIQUE (principal_id)
svc_value_closing PRIMARY KEY (tenant_id)
svc_value_delay PRIMARY KEY (tenant_id, start, delay_ms)
svc_value_deletion CHECK (((state_flag >= 0) AND (state_flag <= 2)))
svc_value_deletion CHECK ((to_time >= from_time))
svc_value_deletion PRIMARY KEY (id)
svc_value_hour CHECK ((value_count > 0))
svc_value_hour PRIMARY KEY (tenant_id, device_id, point_id, start)
svc_value_import PRIMARY KEY (id)
svc_value_import UNIQUE (tenant_id, receive_time)
svc_value_import_series PRIMARY KEY (tenant_id, import_id, device_id, point_id)
svc_value_refusal CHECK ((reason = ANY (ARRAY['UNKNOWN_POINT'::text, 'OTHER_DRIVER'::text, 'DROPPED'::text, 'NO_ROOM'::text, 'EVENT_NO_ROOM'::text])))
svc_value_refusal PRIMARY KEY (tenant_id, driver_code, reason)
svc_waiting_endpoint CHECK (((char_length(endpoint) >= 1) AND (char_length(endpoint) <= 255)))
svc_waiting_endpoint PRIMARY KEY (id)
svc_waiting_endpoint UNIQUE (driver_code, endpoint, key_device_id)

-- indexes
CREATE INDEX svc_action_command ON public.svc_action USING btree (command_id) WHERE (command_id IS NOT NULL)
CREATE INDEX svc_action_conversation ON public.svc_action USING btree (tenant_id, conversation_id)
CREATE INDEX svc_action_key_create_time ON public.svc_action_key USING btree (create_time)
CREATE INDEX svc_action_newest ON public.svc_action USING btree (tenant_id, create_time DESC, id DESC)
CREATE INDEX svc_action_open ON public.svc_action USING btree (expire_time) WHERE (status = 0)
CREATE INDEX svc_action_place ON public.svc_action USING btree (tenant_id, device_id, point_id) WHERE (status = 0)
CREATE INDEX svc_action_proposer ON public.svc_action USING btree (tenant_id, user_id, create_time DESC, id DESC)
CREATE INDEX svc_action_rejected ON public.svc_action USING btree (tenant_id, device_id, point_id, decided_time) WHERE (status = 2)
CREATE INDEX svc_action_running ON public.svc_action USING btree (operate_time) WHERE (status = 1)
CREATE INDEX svc_action_step_place ON public.svc_action_step USING btree (tenant_id, device_id, point_id)
CREATE INDEX svc_action_untold ON public.svc_action USING btree (operate_time) WHERE ((NOT told) AND (status = ANY (ARRAY[2, 3, 4, 5, 6, 8, 9])))
CREATE INDEX svc_agent_usage_bucket ON public.svc_agent_usage USING btree (bucket)
CREATE INDEX svc_alarm_comment_alarm ON public.svc_alarm_comment USING btree (tenant_id, alarm_id, id)
CREATE INDEX svc_attachment_conversation ON public.svc_attachment USING btree (tenant_id, user_id, conversation_id)
CREATE INDEX svc_change_log_entity ON public.svc_change_log USING btree (tenant_id, entity_type, entity_id, create_time DESC, id DESC)
CREATE INDEX svc_change_log_tenant ON public.svc_change_log USING btree (tenant_id, create_time DESC, id DESC)
CREATE INDEX svc_chat_budget_hold_old ON public.svc_chat_budget_hold USING btree (expire_time)
CREATE INDEX svc_chat_budget_hold_use ON public.svc_chat_budget_hold USING btree (tenant_id, budget_id, subject, begins, expire_time)
CREATE INDEX svc_chat_budget_use_old ON public.svc_chat_budget_use USING btree (begins)
CREATE INDEX svc_chat_handle_expire_time ON public.svc_chat_handle USING btree (expire_time)
CREATE INDEX svc_chat_step_old ON public.svc_chat_step USING btree (create_time)
CREATE INDEX svc_chat_step_time ON public.svc_chat_step USING btree (tenant_id, create_time DESC, id DESC)
CREATE INDEX svc_command_history_open ON public.svc_command_history USING btree (expire_time) WHERE (status = ANY (ARRAY[0, 1]))
CREATE INDEX svc_command_history_tenant ON public.svc_command_history USING btree (tenant_id, occur_time DESC)
CREATE INDEX svc_device_by_name ON public.svc_device USING btree (tenant_id, svc_name_order(device_name), id) INCLUDE (device_name)
CREATE INDEX svc_device_driver ON public.svc_device USING btree (tenant_id, driver_id)
CREATE INDEX svc_device_import_list ON public.svc_device_import USING btree (tenant_id, id DESC)
CREATE INDEX svc_device_newest ON public.svc_device USING btree (tenant_id, create_time DESC, id DESC)
CREATE INDEX svc_device_profile ON public.svc_device USING btree (tenant_id, profile_id)
CREATE INDEX svc_endpoint_claim_device ON public.svc_endpoint_claim USING btree (tenant_id, device_id)
CREATE INDEX svc_entity_alarm_assignee ON public.svc_entity_alarm USING btree (tenant_id, assignee_id) WHERE (assignee_id <> 0)
CREATE INDEX svc_entity_alarm_device ON public.svc_entity_alarm USING btree (tenant_id, device_id, urgency, create_time DESC, id DESC)
CREATE INDEX svc_entity_alarm_open ON public.svc_entity_alarm USING btree (tenant_id, rule_id, id) WHERE ((confirm_flag = 0) OR (state_flag = 1))
CREATE INDEX svc_entity_alarm_outage ON public.svc_entity_alarm USING btree (tenant_id, last_recover_time) WHERE ((rule_id = 0) AND (last_recover_time IS NOT NULL))
CREATE INDEX svc_entity_alarm_place ON public.svc_entity_alarm USING btree (tenant_id, device_id, entity_id, rule_id, urgency, create_time, id)
CREATE INDEX svc_entity_alarm_rule ON public.svc_entity_alarm USING btree (tenant_id, rule_id, create_time DESC) WHERE (rule_id <> 0)
CREATE INDEX svc_entity_alarm_tenant ON public.svc_entity_alarm USING btree (tenant_id, create_time DESC, id DESC)
CREATE INDEX svc_entity_alarm_urgency ON public.svc_entity_alarm USING btree (tenant_id, urgency, create_time DESC, id DESC)
CREATE INDEX svc_entity_alarm_when ON public.svc_entity_alarm USING btree (tenant_id, device_id, create_time DESC, id DESC)
CREATE INDEX svc_entity_state_node ON public.svc_entity_state USING btree (expire_time) WHERE ((node <> ''::text) AND (claim_time IS NULL))
CREATE INDEX svc_event_history_tenant ON public.svc_event_history USING btree (tenant_id, occur_time DESC)
CREATE INDEX svc_feed_create_time ON public.svc_feed USING btree (create_time)
CREATE INDEX svc_feed_unplaced ON public.svc_feed USING btree (tenant_id, id) WHERE (place IS NULL)
CREATE INDEX svc_firmware_rollout_list ON public.svc_firmware_rollout USING btree (tenant_id, id DESC)
CREATE INDEX svc_firmware_rollout_running ON public.svc_firmware_rollout USING btree (id) WHERE (status = 'RUNNING'::text)
CREATE INDEX svc_firmware_update_device ON public.svc_firmware_update USING btree (tenant_id, device_id, begin_time)
CREATE INDEX svc_firmware_update_next ON public.svc_firmware_update USING btree (next_time) WHERE (next_time IS NOT NULL)
CREATE INDEX svc_firmware_update_order ON public.svc_firmware_update USING btree (tenant_id, rollout_id, "position")
CREATE INDEX svc_group_bind_group ON public.svc_group_bind USING btree (tenant_id, group_id, entity_id)
CREATE INDEX svc_heard_text_expire_time ON public.svc_heard_text USING btree (expire_time)
CREATE INDEX svc_identity_audit_log_time ON public.svc_identity_audit_log USING btree (tenant_id, create_time DESC)
CREATE INDEX svc_identity_notice_tenant ON public.svc_identity_notice USING btree (tenant_id, occur_time)
CREATE INDEX svc_identity_notice_waiting ON public.svc_identity_notice USING btree (try_time) WHERE (sent_time IS NULL)
CREATE INDEX svc_local_credential_login ON public.svc_local_credential USING btree (login_name_normalized)
CREATE INDEX svc_login_name_used ON public.svc_login_name USING btree (used_time)
CREATE INDEX svc_maintenance_end ON public.svc_maintenance USING btree (tenant_id, end_time)
CREATE INDEX svc_manual_page_owner ON public.svc_manual_page USING btree (tenant_id, device_id, profile_id)
CREATE INDEX svc_mcp_audit_log_time ON public.svc_mcp_audit_log USING btree (tenant_id, create_time DESC)
CREATE INDEX svc_mcp_audit_log_trace ON public.svc_mcp_audit_log USING btree (tenant_id, trace_id, create_time DESC) WHERE (trace_id <> ''::text)
CREATE INDEX svc_mcp_mail_create_time ON public.svc_mcp_mail USING btree (create_time)
CREATE INDEX svc_mcp_mail_session ON public.svc_mcp_mail USING btree (tenant_id, session_id, id)
CREATE INDEX svc_mcp_session_owner ON public.svc_mcp_session USING btree (tenant_id, principal_id, client_id)
CREATE INDEX svc_mcp_session_use_time ON public.svc_mcp_session USING btree (use_time)
CREATE INDEX svc_message_said ON public.svc_message USING btree (tenant_id, user_id, md5(btrim((content ->> 'text'::text), ' 	
'::text))) WHERE (role = 'assistant'::text)
CREATE INDEX svc_model_config_provider ON public.svc_model_config USING btree (tenant_id, provider_id)
CREATE INDEX svc_notify_channel_bind_channel ON public.svc_notify_channel_bind USING btree (tenant_id, channel_id)
CREATE INDEX svc_notify_history_alarm ON public.svc_notify_history USING btree (tenant_id, alarm_id)
CREATE INDEX svc_notify_history_channel ON public.svc_notify_history USING btree (tenant_id, channel_id) WHERE (status_flag = ANY (ARRAY[0, 1, 4]))
CREATE INDEX svc_notify_history_open ON public.svc_notify_history USING btree (next_try_time) WHERE (status_flag = ANY (ARRAY[0, 1, 4]))
CREATE INDEX svc_notify_history_recent ON public.svc_notify_history USING btree (tenant_id, channel_id, create_time DESC)
CREATE INDEX svc_notify_history_state ON public.svc_notify_history USING btree (tenant_id, rule_state_id, channel_id, create_time DESC)
CREATE INDEX svc_notify_history_tenant ON public.svc_notify_history USING btree (tenant_id, create_time DESC)
CREATE INDEX svc_notify_history_waiting ON public.svc_notify_history USING btree (tenant_id, next_try_time) WHERE (status_flag = ANY (ARRAY[0, 1, 4]))
CREATE INDEX svc_notify_ledger_due ON public.svc_notify_ledger USING btree (due_time) WHERE ((end_time IS NULL) AND (due_time IS NOT NULL))
CREATE INDEX svc_notify_ledger_explained ON public.svc_notify_ledger USING btree (tenant_id, cause_id) WHERE ((end_time IS NULL) AND (cause_id <> 0))
CREATE INDEX svc_notify_ledger_failing ON public.svc_notify_ledger USING btree (tenant_id, channel_id) WHERE ((end_time IS NULL) AND (failure_count > 0))
CREATE INDEX svc_notify_ledger_gathering ON public.svc_notify_ledger USING btree (tenant_id, channel_id, gather_key) WHERE ((end_time IS NULL) AND (gather_key <> ''::text))
CREATE INDEX svc_notify_ledger_open ON public.svc_notify_ledger USING btree (tenant_id, channel_id) WHERE (end_time IS NULL)
CREATE INDEX svc_notify_ledger_sending ON public.svc_notify_ledger USING btree (tenant_id, history_id) WHERE (history_id <> 0)
CREATE INDEX svc_oauth_store_expiry ON public.svc_oauth_store USING btree (expires_at)
CREATE INDEX svc_oauth_store_grant ON public.svc_oauth_store USING btree (grant_id) WHERE (grant_id IS NOT NULL)
CREATE INDEX svc_oauth_store_uid ON public.svc_oauth_store USING btree (kind, uid) WHERE (uid IS NOT NULL)
CREATE INDEX svc_point_by_name ON public.svc_point USING btree (tenant_id, svc_name_order(point_name), id) INCLUDE (point_name)
CREATE INDEX svc_point_command_history_doubt ON public.svc_point_command_history USING btree (send_time) WHERE ((type = 2) AND (status = ANY (ARRAY[4, 6, 7, 8])))
CREATE INDEX svc_point_command_history_news ON public.svc_point_command_history USING btree (id) WHERE seen_news
CREATE INDEX svc_point_command_history_open ON public.svc_point_command_history USING btree (expire_time) WHERE (status = ANY (ARRAY[0, 1]))
CREATE INDEX svc_point_command_history_place ON public.svc_point_command_history USING btree (tenant_id, device_id, point_id, id DESC) WHERE (type = 2)
CREATE INDEX svc_point_command_history_point ON public.svc_point_command_history USING btree (tenant_id, device_id, point_id, send_time) WHERE (type = 2)
CREATE INDEX svc_point_command_history_tenant ON public.svc_point_command_history USING btree (tenant_id, occur_time DESC)
CREATE INDEX svc_point_newest ON public.svc_point USING btree (tenant_id, create_time DESC, id DESC)
CREATE INDEX svc_retention_hold_tenant ON public.svc_retention_hold USING btree (tenant_id, device_id)
CREATE INDEX svc_role_principal_bind_principal ON public.svc_role_principal_bind USING btree (tenant_id, principal_id)
CREATE INDEX svc_rule_entity ON public.svc_rule USING btree (tenant_id, alarm_target_type_flag, entity_id)
CREATE INDEX svc_rule_groups ON public.svc_rule USING gin (((rule_ext #> '{content,devices,groupIds}'::text[]))) WHERE ((rule_ext #> '{content,devices,groupIds}'::text[]) IS NOT NULL)
CREATE INDEX svc_rule_limit ON public.svc_rule USING gin (svc_limit_attributes(rule_ext)) WHERE (svc_limit_attributes(rule_ext) <> '{}'::text[])
CREATE INDEX svc_rule_state_alarm ON public.svc_rule_state USING btree (tenant_id, alarm_id)
CREATE INDEX svc_rule_state_live ON public.svc_rule_state USING btree (tenant_id, operate_time DESC) WHERE (entity_state_flag = ANY (ARRAY[0, 1]))
CREATE INDEX svc_rule_state_open ON public.svc_rule_state USING btree (holding_since) WHERE (entity_state_flag = ANY (ARRAY[0, 1]))
CREATE INDEX svc_rule_state_rule ON public.svc_rule_state USING btree (tenant_id, rule_id, entity_id)
CREATE INDEX svc_rule_state_silenced ON public.svc_rule_state USING btree (silenced_until) WHERE (silenced_until IS NOT NULL)
CREATE INDEX svc_session_user ON public.svc_session USING btree (tenant_id, user_id, operate_time DESC)
CREATE INDEX svc_standing_approval_agent ON public.svc_standing_approval USING btree (tenant_id, agent_id, until_time) WHERE (ended = ''::text)
CREATE INDEX svc_standing_approval_list ON public.svc_standing_approval USING btree (tenant_id, id DESC)
CREATE INDEX svc_standing_use_point ON public.svc_standing_use USING btree (tenant_id, device_id, point_id, use_time)
CREATE INDEX svc_tenant_membership_principal ON public.svc_tenant_membership USING btree (principal_id)
CREATE INDEX svc_tenant_name_principal ON public.svc_tenant_name USING btree (principal_id)
CREATE INDEX svc_turn_relay_create_time ON public.svc_turn_relay USING btree (create_time)
CREATE INDEX svc_turn_relay_turn ON public.svc_turn_relay USING btree (tenant_id, turn_id, id)
CREATE INDEX svc_user_name ON public.svc_user USING btree (user_name)
CREATE INDEX svc_value_deletion_import ON public.svc_value_deletion USING btree (tenant_id, import_id) WHERE (import_id IS NOT NULL)
CREATE INDEX svc_value_deletion_running ON public.svc_value_deletion USING btree (tenant_id, id) WHERE (state_flag = 0)
CREATE INDEX svc_value_hour_start ON public.svc_value_hour USING btree (tenant_id, start)
CREATE INDEX svc_waiting_endpoint_list ON public.svc_waiting_endpoint USING btree (tenant_id, last_time DESC, id DESC)
CREATE UNIQUE INDEX svc_action_action_id_key ON public.svc_action USING btree (action_id)
CREATE UNIQUE INDEX svc_action_key_pkey ON public.svc_action_key USING btree (tenant_id, user_id, tool, key)
CREATE UNIQUE INDEX svc_action_pkey ON public.svc_action USING btree (id)
CREATE UNIQUE INDEX svc_action_step_command_id_key ON public.svc_action_step USING btree (command_id)
CREATE UNIQUE INDEX svc_action_step_pkey ON public.svc_action_step USING btree (tenant_id, action_id, step)
CREATE UNIQUE INDEX svc_action_step_tenant_id_action_id_device_id_point_id_key ON public.svc_action_step USING btree (tenant_id, action_id, device_id, point_id)
CREATE UNIQUE INDEX svc_agent_hold_pkey ON public.svc_agent_hold USING btree (tenant_id, principal_id)
CREATE UNIQUE INDEX svc_agent_switch_pkey ON public.svc_agent_switch USING btree (tenant_id)
CREATE UNIQUE INDEX svc_agent_usage_pkey ON public.svc_agent_usage USING btree (tenant_id, kind, subject_id, bucket)
CREATE UNIQUE INDEX svc_alarm_comment_pkey ON public.svc_alarm_comment USING btree (id)
CREATE UNIQUE INDEX svc_api_api_code_key ON public.svc_api USING btree (api_code)
CREATE UNIQUE INDEX svc_api_pkey ON public.svc_api USING btree (id)
CREATE UNIQUE INDEX svc_approval_switch_pkey ON public.svc_approval_switch USING btree (tenant_id)
CREATE UNIQUE INDEX svc_attachment_file_path_key ON public.svc_attachment USING btree (file_path)
CREATE UNIQUE INDEX svc_attachment_pkey ON public.svc_attachment USING btree (id)
CREATE UNIQUE INDEX svc_audit_seal_log_row_id_key ON public.svc_audit_seal USING btree (log, row_id)
CREATE UNIQUE INDEX svc_audit_seal_pkey ON public.svc_audit_seal USING btree (log, seq)
CREATE UNIQUE INDEX svc_change_log_pkey ON public.svc_change_log USING btree (id)
CREATE UNIQUE INDEX svc_chat_budget_hold_pkey ON public.svc_chat_budget_hold USING btree (id)
CREATE UNIQUE INDEX svc_chat_budget_pkey ON public.svc_chat_budget USING btree (id)
CREATE UNIQUE INDEX svc_chat_budget_tenant_id_kind_subject_unit_currency_period_key ON public.svc_chat_budget USING btree (tenant_id, kind, subject, unit, currency, period)
CREATE UNIQUE INDEX svc_chat_budget_use_pkey ON public.svc_chat_budget_use USING btree (tenant_id, budget_id, subject, begins)
CREATE UNIQUE INDEX svc_chat_handle_pkey ON public.svc_chat_handle USING btree (tenant_id, user_id, handle, conversation_id)
CREATE UNIQUE INDEX svc_chat_origin_pkey ON public.svc_chat_origin USING btree (id)
CREATE UNIQUE INDEX svc_chat_origin_tenant_id_origin_key ON public.svc_chat_origin USING btree (tenant_id, origin)
CREATE UNIQUE INDEX svc_chat_step_pkey ON public.svc_chat_step USING btree (id)
CREATE UNIQUE INDEX svc_command_attribute_config_pkey ON public.svc_command_attribute_config USING btree (id)
CREATE UNIQUE INDEX svc_command_attribute_config_tenant_id_device_id_command_id_key ON public.svc_command_attribute_config USING btree (tenant_id, device_id, command_id, attribute_id)
CREATE UNIQUE INDEX svc_command_attribute_pkey ON public.svc_command_attribute USING btree (id)
CREATE UNIQUE INDEX svc_command_attribute_tenant_id_driver_id_attribute_code_key ON public.svc_command_attribute USING btree (tenant_id, driver_id, attribute_code)
CREATE UNIQUE INDEX svc_command_history_pkey ON public.svc_command_history USING btree (id)
CREATE UNIQUE INDEX svc_command_history_record_id_key ON public.svc_command_history USING btree (record_id)
CREATE UNIQUE INDEX svc_command_param_pkey ON public.svc_command_param USING btree (id)
CREATE UNIQUE INDEX svc_command_param_tenant_id_command_id_param_code_key ON public.svc_command_param USING btree (tenant_id, command_id, param_code)
CREATE UNIQUE INDEX svc_command_pkey ON public.svc_command USING btree (id)
CREATE UNIQUE INDEX svc_command_tenant_id_profile_id_command_code_key ON public.svc_command USING btree (tenant_id, profile_id, command_code)
CREATE UNIQUE INDEX svc_command_tenant_id_profile_id_command_name_key ON public.svc_command USING btree (tenant_id, profile_id, command_name)
CREATE UNIQUE INDEX svc_dead_letter_pkey ON public.svc_dead_letter USING btree (id)
CREATE UNIQUE INDEX svc_device_import_import_id_key ON public.svc_device_import USING btree (import_id)
CREATE UNIQUE INDEX svc_device_import_pkey ON public.svc_device_import USING btree (id)
CREATE UNIQUE INDEX svc_device_import_refusal_pkey ON public.svc_device_import_refusal USING btree (tenant_id, import_id, row_number)
CREATE UNIQUE INDEX svc_device_import_running ON public.svc_device_import USING btree (tenant_id) WHERE (status = 'RUNNING'::text)
CREATE UNIQUE INDEX svc_device_import_slice_pkey ON public.svc_device_import_slice USING btree (tenant_id, import_id, slice)
CREATE UNIQUE INDEX svc_device_pkey ON public.svc_device USING btree (id)
CREATE UNIQUE INDEX svc_device_registration_pkey ON public.svc_device_registration USING btree (tenant_id, device_id)
CREATE UNIQUE INDEX svc_device_tenant_id_device_code_key ON public.svc_device USING btree (tenant_id, device_code)
CREATE UNIQUE INDEX svc_device_tenant_id_device_name_key ON public.svc_device USING btree (tenant_id, device_name)
CREATE UNIQUE INDEX svc_driver_attribute_config_pkey ON public.svc_driver_attribute_config USING btree (id)
CREATE UNIQUE INDEX svc_driver_attribute_config_tenant_id_device_id_attribute_i_key ON public.svc_driver_attribute_config USING btree (tenant_id, device_id, attribute_id)
CREATE UNIQUE INDEX svc_driver_attribute_pkey ON public.svc_driver_attribute USING btree (id)
CREATE UNIQUE INDEX svc_driver_attribute_tenant_id_driver_id_attribute_code_key ON public.svc_driver_attribute USING btree (tenant_id, driver_id, attribute_code)
CREATE UNIQUE INDEX svc_driver_pkey ON public.svc_driver USING btree (id)
CREATE UNIQUE INDEX svc_driver_tenant_id_driver_code_key ON public.svc_driver USING btree (tenant_id, driver_code)
CREATE UNIQUE INDEX svc_driver_tenant_id_driver_name_key ON public.svc_driver USING btree (tenant_id, driver_name)
CREATE UNIQUE INDEX svc_endpoint_claim_clear ON public.svc_endpoint_claim USING btree (driver_code, endpoint) WHERE (NOT proven)
CREATE UNIQUE INDEX svc_endpoint_claim_pkey ON public.svc_endpoint_claim USING btree (id)
CREATE UNIQUE INDEX svc_endpoint_claim_tenant ON public.svc_endpoint_claim USING btree (tenant_id, driver_code, endpoint)
CREATE UNIQUE INDEX svc_entity_alarm_pkey ON public.svc_entity_alarm USING btree (id)
CREATE UNIQUE INDEX svc_entity_state_pkey ON public.svc_entity_state USING btree (tenant_id, entity_type_flag, entity_id)
CREATE UNIQUE INDEX svc_event_attribute_config_pkey ON public.svc_event_attribute_config USING btree (id)
CREATE UNIQUE INDEX svc_event_attribute_config_tenant_id_device_id_event_id_att_key ON public.svc_event_attribute_config USING btree (tenant_id, device_id, event_id, attribute_id)
CREATE UNIQUE INDEX svc_event_attribute_pkey ON public.svc_event_attribute USING btree (id)
CREATE UNIQUE INDEX svc_event_attribute_tenant_id_driver_id_attribute_code_key ON public.svc_event_attribute USING btree (tenant_id, driver_id, attribute_code)
CREATE UNIQUE INDEX svc_event_history_pkey ON public.svc_event_history USING btree (id)
CREATE UNIQUE INDEX svc_event_history_tenant_id_record_id_key ON public.svc_event_history USING btree (tenant_id, record_id)
CREATE UNIQUE INDEX svc_event_param_pkey ON public.svc_event_param USING btree (id)
CREATE UNIQUE INDEX svc_event_param_tenant_id_event_id_param_code_key ON public.svc_event_param USING btree (tenant_id, event_id, param_code)
CREATE UNIQUE INDEX svc_event_pkey ON public.svc_event USING btree (id)
CREATE UNIQUE INDEX svc_event_tenant_id_profile_id_event_code_key ON public.svc_event USING btree (tenant_id, profile_id, event_code)
CREATE UNIQUE INDEX svc_event_tenant_id_profile_id_event_name_key ON public.svc_event USING btree (tenant_id, profile_id, event_name)
CREATE UNIQUE INDEX svc_external_identity_pkey ON public.svc_external_identity USING btree (id)
CREATE UNIQUE INDEX svc_external_identity_provider_id_external_subject_key ON public.svc_external_identity USING btree (provider_id, external_subject)
CREATE UNIQUE INDEX svc_external_identity_provider_id_principal_id_key ON public.svc_external_identity USING btree (provider_id, principal_id)
CREATE UNIQUE INDEX svc_feed_head_pkey ON public.svc_feed_head USING btree (tenant_id)
CREATE UNIQUE INDEX svc_feed_pkey ON public.svc_feed USING btree (id)
CREATE UNIQUE INDEX svc_feed_place ON public.svc_feed USING btree (tenant_id, place)
CREATE UNIQUE INDEX svc_firmware_chunk_pkey ON public.svc_firmware_chunk USING btree (tenant_id, package_id, chunk)
CREATE UNIQUE INDEX svc_firmware_package_pkey ON public.svc_firmware_package USING btree (id)
CREATE UNIQUE INDEX svc_firmware_package_tenant_id_package_name_package_version_key ON public.svc_firmware_package USING btree (tenant_id, package_name, package_version)
CREATE UNIQUE INDEX svc_firmware_rollout_action ON public.svc_firmware_rollout USING btree (tenant_id, action_id) WHERE (action_id IS NOT NULL)
CREATE UNIQUE INDEX svc_firmware_rollout_pkey ON public.svc_firmware_rollout USING btree (id)
CREATE UNIQUE INDEX svc_firmware_update_open ON public.svc_firmware_update USING btree (tenant_id, device_id) WHERE ((end_time IS NULL) AND (status <> 'PROPOSED'::text))
CREATE UNIQUE INDEX svc_firmware_update_pkey ON public.svc_firmware_update USING btree (tenant_id, rollout_id, device_id)
CREATE UNIQUE INDEX svc_firmware_update_update_id_key ON public.svc_firmware_update USING btree (update_id)
CREATE UNIQUE INDEX svc_group_bind_pkey ON public.svc_group_bind USING btree (id)
CREATE UNIQUE INDEX svc_group_bind_tenant_id_entity_type_flag_entity_id_key ON public.svc_group_bind USING btree (tenant_id, entity_type_flag, entity_id)
CREATE UNIQUE INDEX svc_group_pkey ON public.svc_group USING btree (id)
CREATE UNIQUE INDEX svc_group_tenant_id_entity_type_flag_parent_group_id_group__key ON public.svc_group USING btree (tenant_id, entity_type_flag, parent_group_id, group_name)
CREATE UNIQUE INDEX svc_heard_text_pkey ON public.svc_heard_text USING btree (tenant_id, user_id, client_id, digest)
CREATE UNIQUE INDEX svc_identity_audit_log_pkey ON public.svc_identity_audit_log USING btree (id)
CREATE UNIQUE INDEX svc_identity_notice_pkey ON public.svc_identity_notice USING btree (id)
CREATE UNIQUE INDEX svc_identity_provider_pkey ON public.svc_identity_provider USING btree (id)
CREATE UNIQUE INDEX svc_identity_provider_tenant_id_provider_code_key ON public.svc_identity_provider USING btree (tenant_id, provider_code)
CREATE UNIQUE INDEX svc_key_key_digest_key ON public.svc_key USING btree (key_digest)
CREATE UNIQUE INDEX svc_key_pkey ON public.svc_key USING btree (id)
CREATE UNIQUE INDEX svc_key_tenant_id_principal_id_key_name_key ON public.svc_key USING btree (tenant_id, principal_id, key_name)
CREATE UNIQUE INDEX svc_label_bind_pkey ON public.svc_label_bind USING btree (id)
CREATE UNIQUE INDEX svc_label_bind_tenant_id_entity_type_flag_label_id_entity_i_key ON public.svc_label_bind USING btree (tenant_id, entity_type_flag, label_id, entity_id)
CREATE UNIQUE INDEX svc_label_pkey ON public.svc_label USING btree (id)
CREATE UNIQUE INDEX svc_label_tenant_id_entity_type_flag_label_name_key ON public.svc_label USING btree (tenant_id, entity_type_flag, label_name)
CREATE UNIQUE INDEX svc_listening_pkey ON public.svc_listening USING btree (kind)
CREATE UNIQUE INDEX svc_local_credential_pkey ON public.svc_local_credential USING btree (id)
CREATE UNIQUE INDEX svc_local_credential_principal_id_credential_type_key ON public.svc_local_credential USING btree (principal_id, credential_type)
CREATE UNIQUE INDEX svc_login_name_pkey ON public.svc_login_name USING btree (name_digest)
CREATE UNIQUE INDEX svc_maintenance_pkey ON public.svc_maintenance USING btree (id)
CREATE UNIQUE INDEX svc_manual_page_pkey ON public.svc_manual_page USING btree (tenant_id, manual_id, page)
CREATE UNIQUE INDEX svc_manual_pkey ON public.svc_manual USING btree (id)
CREATE UNIQUE INDEX svc_manual_tenant_id_device_id_profile_id_manual_name_key ON public.svc_manual USING btree (tenant_id, device_id, profile_id, manual_name)
CREATE UNIQUE INDEX svc_mcp_audit_log_pkey ON public.svc_mcp_audit_log USING btree (id)
CREATE UNIQUE INDEX svc_mcp_connection_pkey ON public.svc_mcp_connection USING btree (id)
CREATE UNIQUE INDEX svc_mcp_connection_tenant_id_principal_id_client_id_connect_key ON public.svc_mcp_connection USING btree (tenant_id, principal_id, client_id, connection_name)
CREATE UNIQUE INDEX svc_mcp_connection_tool_connection_id_tool_id_key ON public.svc_mcp_connection_tool USING btree (connection_id, tool_id)
CREATE UNIQUE INDEX svc_mcp_connection_tool_pkey ON public.svc_mcp_connection_tool USING btree (id)
CREATE UNIQUE INDEX svc_mcp_mail_pkey ON public.svc_mcp_mail USING btree (id)
CREATE UNIQUE INDEX svc_mcp_session_pkey ON public.svc_mcp_session USING btree (tenant_id, session_id)
CREATE UNIQUE INDEX svc_mcp_tool_catalog_pkey ON public.svc_mcp_tool_catalog USING btree (id)
CREATE UNIQUE INDEX svc_mcp_tool_catalog_tool_id_key ON public.svc_mcp_tool_catalog USING btree (tool_id)
CREATE UNIQUE INDEX svc_menu_menu_code_key ON public.svc_menu USING btree (menu_code)
CREATE UNIQUE INDEX svc_menu_pkey ON public.svc_menu USING btree (id)
CREATE UNIQUE INDEX svc_message_pkey ON public.svc_message USING btree (id)
CREATE UNIQUE INDEX svc_message_receipt ON public.svc_message USING btree (action_id, action_step) WHERE (action_id IS NOT NULL)
CREATE UNIQUE INDEX svc_message_template_code ON public.svc_message_template USING btree (tenant_id, message_code) WHERE (message_code <> ''::text)
CREATE UNIQUE INDEX svc_message_template_pkey ON public.svc_message_template USING btree (id)
CREATE UNIQUE INDEX svc_message_template_tenant_id_message_name_key ON public.svc_message_template USING btree (tenant_id, message_name)
CREATE UNIQUE INDEX svc_message_tenant_id_user_id_conversation_id_message_index_key ON public.svc_message USING btree (tenant_id, user_id, conversation_id, message_index)
CREATE UNIQUE INDEX svc_message_turn ON public.svc_message USING btree (tenant_id, user_id, turn_id, role) WHERE (turn_id IS NOT NULL)
CREATE UNIQUE INDEX svc_migration_pkey ON public.svc_migration USING btree (name)
CREATE UNIQUE INDEX svc_model_config_pkey ON public.svc_model_config USING btree (id)
CREATE UNIQUE INDEX svc_model_config_tenant_id_model_key ON public.svc_model_config USING btree (tenant_id, model)
CREATE UNIQUE INDEX svc_model_provider_pkey ON public.svc_model_provider USING btree (id)
CREATE UNIQUE INDEX svc_model_provider_tenant_id_name_key ON public.svc_model_provider USING btree (tenant_id, name)
CREATE UNIQUE INDEX svc_notify_channel_bind_pkey ON public.svc_notify_channel_bind USING btree (id)
CREATE UNIQUE INDEX svc_notify_channel_bind_tenant_id_notify_id_channel_id_key ON public.svc_notify_channel_bind USING btree (tenant_id, notify_id, channel_id)
CREATE UNIQUE INDEX svc_notify_channel_code ON public.svc_notify_channel USING btree (tenant_id, channel_code) WHERE (channel_code <> ''::text)
CREATE UNIQUE INDEX svc_notify_channel_pkey ON public.svc_notify_channel USING btree (id)
CREATE UNIQUE INDEX svc_notify_channel_tenant_id_channel_name_key ON public.svc_notify_channel USING btree (tenant_id, channel_name)
CREATE UNIQUE INDEX svc_notify_code ON public.svc_notify USING btree (tenant_id, notify_code) WHERE (notify_code <> ''::text)
CREATE UNIQUE INDEX svc_notify_history_pkey ON public.svc_notify_history USING btree (id)
CREATE UNIQUE INDEX svc_notify_ledger_pkey ON public.svc_notify_ledger USING btree (tenant_id, alarm_id, notify_id, channel_id)
CREATE UNIQUE INDEX svc_notify_pkey ON public.svc_notify USING btree (id)
CREATE UNIQUE INDEX svc_notify_tenant_id_notify_name_key ON public.svc_notify USING btree (tenant_id, notify_name)
CREATE UNIQUE INDEX svc_oauth_client_client_id_key ON public.svc_oauth_client USING btree (client_id)
CREATE UNIQUE INDEX svc_oauth_client_pkey ON public.svc_oauth_client USING btree (id)
CREATE UNIQUE INDEX svc_oauth_store_pkey ON public.svc_oauth_store USING btree (kind, id)
CREATE UNIQUE INDEX svc_point_attribute_config_pkey ON public.svc_point_attribute_config USING btree (id)
CREATE UNIQUE INDEX svc_point_attribute_config_tenant_id_device_id_point_id_att_key ON public.svc_point_attribute_config USING btree (tenant_id, device_id, point_id, attribute_id)
CREATE UNIQUE INDEX svc_point_attribute_pkey ON public.svc_point_attribute USING btree (id)
CREATE UNIQUE INDEX svc_point_attribute_tenant_id_driver_id_attribute_code_key ON public.svc_point_attribute USING btree (tenant_id, driver_id, attribute_code)
CREATE UNIQUE INDEX svc_point_command_history_command_id_key ON public.svc_point_command_history USING btree (command_id)
CREATE UNIQUE INDEX svc_point_command_history_pkey ON public.svc_point_command_history USING btree (id)
CREATE UNIQUE INDEX svc_point_latest_pkey ON public.svc_point_latest USING btree (tenant_id, device_id, point_id)
CREATE UNIQUE INDEX svc_point_pkey ON public.svc_point USING btree (id)
CREATE UNIQUE INDEX svc_point_tenant_id_profile_id_point_code_key ON public.svc_point USING btree (tenant_id, profile_id, point_code)
CREATE UNIQUE INDEX svc_point_tenant_id_profile_id_point_name_key ON public.svc_point USING btree (tenant_id, profile_id, point_name)
CREATE UNIQUE INDEX svc_point_value_default_pkey ON public.svc_point_value_default USING btree (tenant_id, device_id, point_id, create_time, seq)
CREATE UNIQUE INDEX svc_point_value_pkey ON ONLY public.svc_point_value USING btree (tenant_id, device_id, point_id, create_time, seq)
CREATE UNIQUE INDEX svc_principal_pkey ON public.svc_principal USING btree (id)
CREATE UNIQUE INDEX svc_profile_pkey ON public.svc_profile USING btree (id)
CREATE UNIQUE INDEX svc_profile_tenant_id_profile_code_key ON public.svc_profile USING btree (tenant_id, profile_code)
CREATE UNIQUE INDEX svc_profile_tenant_id_profile_name_key ON public.svc_profile USING btree (tenant_id, profile_name)
CREATE UNIQUE INDEX svc_resource_pkey ON public.svc_resource USING btree (id)
CREATE UNIQUE INDEX svc_resource_resource_code_service_name_key ON public.svc_resource USING btree (resource_code, service_name)
CREATE UNIQUE INDEX svc_retention_class_default ON public.svc_retention_class USING btree (tenant_id) WHERE (default_flag = 1)
CREATE UNIQUE INDEX svc_retention_class_pkey ON public.svc_retention_class USING btree (id)
CREATE UNIQUE INDEX svc_retention_class_tenant_id_class_name_key ON public.svc_retention_class USING btree (tenant_id, class_name)
CREATE UNIQUE INDEX svc_retention_hold_pkey ON public.svc_retention_hold USING btree (id)
CREATE UNIQUE INDEX svc_retention_run_pkey ON public.svc_retention_run USING btree (tenant_id)
CREATE UNIQUE INDEX svc_role_pkey ON public.svc_role USING btree (id)
CREATE UNIQUE INDEX svc_role_principal_bind_pkey ON public.svc_role_principal_bind USING btree (id)
CREATE UNIQUE INDEX svc_role_principal_bind_tenant_id_role_id_principal_id_key ON public.svc_role_principal_bind USING btree (tenant_id, role_id, principal_id)
CREATE UNIQUE INDEX svc_role_resource_bind_pkey ON public.svc_role_resource_bind USING btree (id)
CREATE UNIQUE INDEX svc_role_resource_bind_role_id_resource_id_key ON public.svc_role_resource_bind USING btree (role_id, resource_id)
CREATE UNIQUE INDEX svc_role_tenant_id_role_code_key ON public.svc_role USING btree (tenant_id, role_code)
CREATE UNIQUE INDEX svc_rule_code ON public.svc_rule USING btree (tenant_id, rule_code) WHERE (rule_code <> ''::text)
CREATE UNIQUE INDEX svc_rule_pkey ON public.svc_rule USING btree (id)
CREATE UNIQUE INDEX svc_rule_state_pkey ON public.svc_rule_state USING btree (id)
CREATE UNIQUE INDEX svc_rule_state_tenant_id_fingerprint_key ON public.svc_rule_state USING btree (tenant_id, fingerprint)
CREATE UNIQUE INDEX svc_rule_tenant_id_rule_name_key ON public.svc_rule USING btree (tenant_id, rule_name)
CREATE UNIQUE INDEX svc_service_account_pkey ON public.svc_service_account USING btree (id)
CREATE UNIQUE INDEX svc_service_account_principal_id_key ON public.svc_service_account USING btree (principal_id)
CREATE UNIQUE INDEX svc_service_account_single_tenant ON public.svc_tenant_membership USING btree (principal_id) WHERE (principal_type = 'SERVICE_ACCOUNT'::text)
CREATE UNIQUE INDEX svc_service_account_tenant_id_service_account_name_key ON public.svc_service_account USING btree (tenant_id, service_account_name)
CREATE UNIQUE INDEX svc_session_pkey ON public.svc_session USING btree (id)
CREATE UNIQUE INDEX svc_session_tenant_id_user_id_conversation_id_key ON public.svc_session USING btree (tenant_id, user_id, conversation_id)
CREATE UNIQUE INDEX svc_standing_approval_approval_id_key ON public.svc_standing_approval USING btree (approval_id)
CREATE UNIQUE INDEX svc_standing_approval_pkey ON public.svc_standing_approval USING btree (id)
CREATE UNIQUE INDEX svc_standing_use_pkey ON public.svc_standing_use USING btree (tenant_id, approval_id, action_id)
CREATE UNIQUE INDEX svc_tenant_membership_pkey ON public.svc_tenant_membership USING btree (id)
CREATE UNIQUE INDEX svc_tenant_membership_tenant_id_principal_id_key ON public.svc_tenant_membership USING btree (tenant_id, principal_id)
CREATE UNIQUE INDEX svc_tenant_name_name_key ON public.svc_tenant_name USING btree (tenant_id, kind, name)
CREATE UNIQUE INDEX svc_tenant_pkey ON public.svc_tenant USING btree (id)
CREATE UNIQUE INDEX svc_tenant_tenant_code_key ON public.svc_tenant USING btree (tenant_code)
CREATE UNIQUE INDEX svc_tenant_total_pkey ON public.svc_tenant_total USING btree (tenant_id, entity, id)
CREATE UNIQUE INDEX svc_tenant_version_pkey ON public.svc_tenant_version USING btree (tenant_id)
CREATE UNIQUE INDEX svc_token_revocation_pkey ON public.svc_token_revocation USING btree (tenant_id, principal_id)
CREATE UNIQUE INDEX svc_turn_relay_pkey ON public.svc_turn_relay USING btree (id)
CREATE UNIQUE INDEX svc_user_pkey ON public.svc_user USING btree (id)
CREATE UNIQUE INDEX svc_user_principal_id_key ON public.svc_user USING btree (principal_id)
CREATE UNIQUE INDEX svc_value_closing_pkey ON public.svc_value_closing USING btree (tenant_id)
CREATE UNIQUE INDEX svc_value_delay_pkey ON public.svc_value_delay USING btree (tenant_id, start, delay_ms)
CREATE UNIQUE INDEX svc_value_deletion_pkey ON public.svc_value_deletion USING btree (id)
CREATE UNIQUE INDEX svc_value_hour_pkey ON public.svc_value_hour USING btree (tenant_id, device_id, point_id, start)
CREATE UNIQUE INDEX svc_value_import_pkey ON public.svc_value_import USING btree (id)
CREATE UNIQUE INDEX svc_value_import_series_pkey ON public.svc_value_import_series USING btree (tenant_id, import_id, device_id, point_id)
CREATE UNIQUE INDEX svc_value_import_tenant_id_receive_time_key ON public.svc_value_import USING btree (tenant_id, receive_time)
CREATE UNIQUE INDEX svc_value_refusal_pkey ON public.svc_value_refusal USING btree (tenant_id, driver_code, reason)
CREATE UNIQUE INDEX svc_waiting_endpoint_driver_code_endpoint_key_device_id_key ON public.svc_waiting_endpoint USING btree (driver_code, endpoint, key_device_id)
CREATE UNIQUE INDEX svc_waiting_endpoint_pkey ON public.svc_waiting_endpoint USING btree (id)

-- row security
svc_action enabled=t forced=t
svc_action_key enabled=t forced=t
svc_action_step enabled=t forced=t
svc_agent_hold enabled=t forced=t
svc_agent_switch enabled=t forced=t
svc_agent_usage enabled=t forced=t
svc_alarm_comment enabled=t forced=t
svc_api enabled=t forced=t
svc_approval_switch enabled=t forced=t
svc_attachment enabled=t forced=t
svc_audit_seal enabled=t forced=t
svc_change_log enabled=t forced=t
svc_chat_budget enabled=t forced=t
svc_chat_budget_hold enabled=t forced=t
svc_chat_budget_use enabled=t forced=t
svc_chat_handle enabled=t forced=t
svc_chat_origin enabled=t forced=t
svc_chat_step enabled=t forced=t
svc_command enabled=t forced=t
svc_command_attribute enabled=t forced=t
svc_command_attribute_config enabled=t forced=t
svc_command_history enabled=t forced=t
svc_command_param enabled=t forced=t
svc_dead_letter enabled=t forced=t
svc_device enabled=t forced=t
svc_device_import enabled=t forced=t
svc_device_import_refusal enabled=t forced=t
svc_device_import_slice enabled=t forced=t
svc_device_registration enabled=t forced=t
svc_driver enabled=t forced=t
svc_driver_attribute enabled=t forced=t
svc_driver_attribute_config enabled=t forced=t
svc_endpoint_claim enabled=t forced=t
svc_entity_alarm enabled=t forced=t
svc_entity_state enabled=t forced=t
svc_event enabled=t forced=t
svc_event_attribute enabled=t forced=t
svc_event_attribute_config enabled=t forced=t
svc_event_history enabled=t forced=t
svc_event_param enabled=t forced=t
svc_external_identity enabled=t forced=t
svc_feed enabled=t forced=t
svc_feed_head enabled=t forced=t
svc_firmware_chunk enabled=t forced=t
svc_firmware_package enabled=t forced=t
svc_firmware_rollout enabled=t forced=t
svc_firmware_update enabled=t forced=t
svc_group enabled=t forced=t
svc_group_bind enabled=t forced=t
svc_heard_text enabled=t forced=t
svc_identity_audit_log enabled=t forced=t
svc_identity_notice enabled=t forced=t
svc_identity_provider enabled=t forced=t
svc_key enabled=t forced=t
svc_label enabled=t forced=t
svc_label_bind enabled=t forced=t
svc_listening enabled=t forced=t
svc_local_credential enabled=t forced=t
svc_login_name enabled=t forced=t
svc_maintenance enabled=t forced=t
svc_manual enabled=t forced=t
svc_manual_page enabled=t forced=t
svc_mcp_audit_log enabled=t forced=t
svc_mcp_connection enabled=t forced=t
svc_mcp_connection_tool enabled=t forced=t
svc_mcp_mail enabled=t forced=t
svc_mcp_session enabled=t forced=t
svc_mcp_tool_catalog enabled=t forced=t
svc_menu enabled=t forced=t
svc_message enabled=t forced=t
svc_message_template enabled=t forced=t
svc_migration enabled=f forced=f
svc_model_config enabled=t forced=t
svc_model_provider enabled=t forced=t
svc_notify enabled=t forced=t
svc_notify_channel enabled=t forced=t
svc_notify_channel_bind enabled=t forced=t
svc_notify_history enabled=t forced=t
svc_notify_ledger enabled=t forced=t
svc_oauth_client enabled=t forced=t
svc_oauth_store enabled=t forced=t
svc_point enabled=t forced=t
svc_point_attribute enabled=t forced=t
svc_point_attribute_config enabled=t forced=t
svc_point_command_history enabled=t forced=t
svc_point_latest enabled=t forced=t
svc_point_value enabled=t forced=t
svc_point_value_default enabled=f forced=f
svc_principal enabled=t forced=t
svc_profile enabled=t forced=t
svc_resource enabled=t forced=t
svc_retention_class enabled=t forced=t
svc_retention_hold enabled=t forced=t
svc_retention_run enabled=t forced=t
svc_role enabled=t forced=t
svc_role_principal_bind enabled=t forced=t
svc_role_resource_bind enabled=t forced=t
svc_rule enabled=t forced=t
svc_rule_state enabled=t forced=t
svc_service_account enabled=t forced=t
svc_session enabled=t forced=t
svc_standing_approval enabled=t forced=t
svc_standing_use enabled=t forced=t
svc_tenant enabled=t forced=t
svc_tenant_membership enabled=t forced=t
svc_tenant_name enabled=t forced=t
svc_tenant_total enabled=t forced=t
svc_tenant_version enabled=t forced=t
svc_token_revocation enabled=t forced=t
svc_turn_relay enabled=t forced=t
svc_user enabled=t forced=t
svc_value_closing enabled=t forced=t
svc_value_delay enabled=t forced=t
svc_value_deletion enabled=t forced=t
svc_value_hour enabled=t forced=t
svc_value_import enabled=t forced=t
svc_value_import_series enabled=t forced=t
svc_value_refusal enabled=t forced=t
svc_waiting_endpoint enabled=t forced=t

-- policies
svc_action tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_action_key tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_action_step tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_agent_hold tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_agent_switch platform_switch SELECT using (tenant_id = 0) check 
svc_agent_switch tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_agent_usage tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_alarm_comment tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_api global_read SELECT using true check 
svc_api platform_write ALL using ( SELECT svc_is_tenant_free() AS svc_is_tenant_free) check ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)
svc_approval_switch tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_attachment tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_audit_seal tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_change_log tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_chat_budget tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_chat_budget_hold tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_chat_budget_use tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_chat_handle tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_chat_origin tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_chat_step tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_command tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_command_attribute tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_command_attribute_config tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_command_history tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_command_param tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_dead_letter platform_only ALL using ( SELECT svc_is_tenant_free() AS svc_is_tenant_free) check ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)
svc_device tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_device_import tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_device_import_refusal tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_device_import_slice tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_device_registration tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_driver tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_driver_attribute tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_driver_attribute_config tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_endpoint_claim tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_entity_alarm tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_entity_state tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_event tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_event_attribute tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_event_attribute_config tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_event_history tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_event_param tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_external_identity tenant_isolation ALL using (( SELECT svc_is_tenant_free() AS svc_is_tenant_free) OR (EXISTS ( SELECT 1
   FROM svc_identity_provider p
  WHERE (p.id = svc_external_identity.provider_id)))) check 
svc_feed tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_feed_head tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_firmware_chunk tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_firmware_package tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_firmware_rollout tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_firmware_update tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_group tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_group_bind tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_heard_text tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_identity_audit_log tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_identity_notice tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_identity_provider tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_key tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_label tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_label_bind tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_listening global_read SELECT using true check 
svc_listening platform_write ALL using ( SELECT svc_is_tenant_free() AS svc_is_tenant_free) check ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)
svc_local_credential tenant_isolation ALL using (( SELECT svc_is_tenant_free() AS svc_is_tenant_free) OR (EXISTS ( SELECT 1
   FROM svc_tenant_membership m
  WHERE (m.principal_id = svc_local_credential.principal_id)))) check 
svc_login_name platform_only ALL using ( SELECT svc_is_tenant_free() AS svc_is_tenant_free) check ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)
svc_maintenance tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_manual tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_manual_page tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_mcp_audit_log tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_mcp_connection tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_mcp_connection_tool tenant_isolation ALL using (( SELECT svc_is_tenant_free() AS svc_is_tenant_free) OR (EXISTS ( SELECT 1
   FROM svc_mcp_connection c
  WHERE (c.id = svc_mcp_connection_tool.connection_id)))) check 
svc_mcp_mail tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_mcp_session tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_mcp_tool_catalog global_read SELECT using true check 
svc_mcp_tool_catalog platform_write ALL using ( SELECT svc_is_tenant_free() AS svc_is_tenant_free) check ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)
svc_menu global_read SELECT using true check 
svc_menu platform_write ALL using ( SELECT svc_is_tenant_free() AS svc_is_tenant_free) check ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)
svc_message tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_message_template tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_model_config tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_model_provider tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_notify tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_notify_channel tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_notify_channel_bind tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_notify_history tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_notify_ledger tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_oauth_client tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_oauth_store platform_only ALL using ( SELECT svc_is_tenant_free() AS svc_is_tenant_free) check ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)
svc_point tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_point_attribute tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_point_attribute_config tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_point_command_history tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_point_latest tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_point_value tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_principal tenant_isolation ALL using (( SELECT svc_is_tenant_free() AS svc_is_tenant_free) OR (EXISTS ( SELECT 1
   FROM svc_tenant_membership m
  WHERE (m.principal_id = svc_principal.id)))) check 
svc_profile tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_resource global_read SELECT using true check 
svc_resource platform_write ALL using ( SELECT svc_is_tenant_free() AS svc_is_tenant_free) check ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)
svc_retention_class tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_retention_hold tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_retention_run tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_role built_in_roles SELECT using (tenant_id = 0) check 
svc_role tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_role_principal_bind tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_role_resource_bind built_in_roles SELECT using (EXISTS ( SELECT 1
   FROM svc_role r
  WHERE (r.id = svc_role_resource_bind.role_id))) check 
svc_role_resource_bind tenant_isolation ALL using (( SELECT svc_is_tenant_free() AS svc_is_tenant_free) OR (EXISTS ( SELECT 1
   FROM svc_role r
  WHERE ((r.id = svc_role_resource_bind.role_id) AND (r.tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)))))) check 
svc_rule tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_rule_state tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_service_account tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_session tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_standing_approval tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_standing_use tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_tenant tenant_isolation ALL using ((id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check 
svc_tenant_membership tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_tenant_name tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_tenant_total tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_tenant_version tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_tenant_version versions_are_compared SELECT using true check 
svc_token_revocation tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_turn_relay tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_user tenant_isolation ALL using (( SELECT svc_is_tenant_free() AS svc_is_tenant_free) OR (EXISTS ( SELECT 1
   FROM svc_tenant_membership m
  WHERE (m.principal_id = svc_user.principal_id)))) check 
svc_value_closing tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_value_delay tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_value_deletion tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_value_hour tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_value_import tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_value_import_series tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_value_refusal tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))
svc_waiting_endpoint tenant_isolation ALL using ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free)) check ((tenant_id = ( SELECT svc_current_tenant() AS svc_current_tenant)) OR ( SELECT svc_is_tenant_free() AS svc_is_tenant_free))

-- rights of svc_app
svc_action DELETE, INSERT, SELECT, UPDATE
svc_action_key DELETE, INSERT, SELECT, UPDATE
svc_action_step DELETE, INSERT, SELECT, UPDATE
svc_agent_hold DELETE, INSERT, SELECT, UPDATE
svc_agent_switch DELETE, INSERT, SELECT, UPDATE
svc_agent_usage DELETE, INSERT, SELECT, UPDATE
svc_alarm_comment DELETE, INSERT, SELECT, UPDATE
svc_api DELETE, INSERT, SELECT, UPDATE
svc_approval_switch DELETE, INSERT, SELECT, UPDATE
svc_attachment DELETE, INSERT, SELECT, UPDATE
svc_audit_seal INSERT, SELECT
svc_change_log INSERT, SELECT
svc_chat_budget DELETE, INSERT, SELECT, UPDATE
svc_chat_budget_hold DELETE, INSERT, SELECT, UPDATE
svc_chat_budget_use DELETE, INSERT, SELECT, UPDATE
svc_chat_handle DELETE, INSERT, SELECT, UPDATE
svc_chat_origin DELETE, INSERT, SELECT, UPDATE
svc_chat_step DELETE, INSERT, SELECT, UPDATE
svc_command DELETE, INSERT, SELECT, UPDATE
svc_command_attribute DELETE, INSERT, SELECT, UPDATE
svc_command_attribute_config DELETE, INSERT, SELECT, UPDATE
svc_command_history DELETE, INSERT, SELECT, UPDATE
svc_command_param DELETE, INSERT, SELECT, UPDATE
svc_dead_letter DELETE, INSERT, SELECT
svc_device DELETE, INSERT, SELECT, UPDATE
svc_device_import DELETE, INSERT, SELECT, UPDATE
svc_device_import_refusal DELETE, INSERT, SELECT, UPDATE
svc_device_import_slice DELETE, INSERT, SELECT, UPDATE
svc_device_registration DELETE, INSERT, SELECT, UPDATE
svc_driver DELETE, INSERT, SELECT, UPDATE
svc_driver_attribute DELETE, INSERT, SELECT, UPDATE
svc_driver_attribute_config DELETE, INSERT, SELECT, UPDATE
svc_endpoint_claim DELETE, INSERT, SELECT, UPDATE
svc_entity_alarm DELETE, INSERT, SELECT, UPDATE
svc_entity_state DELETE, INSERT, SELECT, UPDATE
svc_event DELETE, INSERT, SELECT, UPDATE
svc_event_attribute DELETE, INSERT, SELECT, UPDATE
svc_event_attribute_config DELETE, INSERT, SELECT, UPDATE
svc_event_history DELETE, INSERT, SELECT, UPDATE
svc_event_param DELETE, INSERT, SELECT, UPDATE
svc_external_identity DELETE, INSERT, SELECT, UPDATE
svc_feed DELETE, INSERT, SELECT, UPDATE
svc_feed_head DELETE, INSERT, SELECT, UPDATE
svc_firmware_chunk DELETE, INSERT, SELECT, UPDATE
svc_firmware_package DELETE, INSERT, SELECT, UPDATE
svc_firmware_rollout DELETE, INSERT, SELECT, UPDATE
svc_firmware_update DELETE, INSERT, SELECT, UPDATE
svc_group DELETE, INSERT, SELECT, UPDATE
svc_group_bind DELETE, INSERT, SELECT, UPDATE
svc_heard_text DELETE, INSERT, SELECT, UPDATE
svc_identity_audit_log INSERT, SELECT
svc_identity_notice DELETE, INSERT, SELECT, UPDATE
svc_identity_provider DELETE, INSERT, SELECT, UPDATE
svc_key DELETE, INSERT, SELECT, UPDATE
svc_label DELETE, INSERT, SELECT, UPDATE
svc_label_bind DELETE, INSERT, SELECT, UPDATE
svc_listening INSERT, SELECT, UPDATE
svc_local_credential DELETE, INSERT, SELECT, UPDATE
svc_login_name DELETE, INSERT, SELECT, UPDATE
svc_maintenance DELETE, INSERT, SELECT, UPDATE
svc_manual DELETE, INSERT, SELECT, UPDATE
svc_manual_page DELETE, INSERT, SELECT, UPDATE
svc_mcp_audit_log INSERT, SELECT
svc_mcp_connection DELETE, INSERT, SELECT, UPDATE
svc_mcp_connection_tool DELETE, INSERT, SELECT, UPDATE
svc_mcp_mail DELETE, INSERT, SELECT, UPDATE
svc_mcp_session DELETE, INSERT, SELECT, UPDATE
svc_mcp_tool_catalog DELETE, INSERT, SELECT, UPDATE
svc_menu DELETE, INSERT, SELECT, UPDATE
svc_message DELETE, INSERT, SELECT, UPDATE
svc_message_template DELETE, INSERT, SELECT, UPDATE
svc_model_config DELETE, INSERT, SELECT, UPDATE
svc_model_provider DELETE, INSERT, SELECT, UPDATE
svc_notify DELETE, INSERT, SELECT, UPDATE
svc_notify_channel DELETE, INSERT, SELECT, UPDATE
svc_notify_channel_bind DELETE, INSERT, SELECT, UPDATE
svc_notify_history DELETE, INSERT, SELECT, UPDATE
svc_notify_ledger DELETE, INSERT, SELECT, UPDATE
svc_oauth_client DELETE, INSERT, SELECT, UPDATE
svc_oauth_store DELETE, INSERT, SELECT, UPDATE
svc_point DELETE, INSERT, SELECT, UPDATE
svc_point_attribute DELETE, INSERT, SELECT, UPDATE
svc_point_attribute_config DELETE, INSERT, SELECT, UPDATE
svc_point_command_history DELETE, INSERT, SELECT, UPDATE
svc_point_latest DELETE, INSERT, SELECT, UPDATE
svc_point_value DELETE, INSERT, SELECT, UPDATE
svc_principal DELETE, INSERT, SELECT, UPDATE
svc_profile DELETE, INSERT, SELECT, UPDATE
svc_resource DELETE, INSERT, SELECT, UPDATE
svc_retention_class DELETE, INSERT, SELECT, UPDATE
svc_retention_hold DELETE, INSERT, SELECT, UPDATE
svc_retention_run DELETE, INSERT, SELECT, UPDATE
svc_role DELETE, INSERT, SELECT, UPDATE
svc_role_principal_bind DELETE, INSERT, SELECT, UPDATE
svc_role_resource_bind DELETE, INSERT, SELECT, UPDATE
svc_rule DELETE, INSERT, SELECT, UPDATE
svc_rule_state DELETE, INSERT, SELECT, UPDATE
svc_service_account DELETE, INSERT, SELECT, UPDATE
svc_session DELETE, INSERT, SELECT, UPDATE
svc_standing_approval DELETE, INSERT, SELECT, UPDATE
svc_standing_use DELETE, INSERT, SELECT, UPDATE
svc_tenant DELETE, INSERT, SELECT, UPDATE
svc_tenant_membership DELETE, INSERT, SELECT, UPDATE
svc_tenant_name DELETE, INSERT, SELECT, UPDATE
svc_tenant_total DELETE, INSERT, SELECT, UPDATE
svc_tenant_version SELECT
svc_token_revocation DELETE, INSERT, SELECT, UPDATE
svc_turn_relay DELETE, INSERT, SELECT, UPDATE
svc_user DELETE, INSERT, SELECT, UPDATE
svc_value_closing DELETE, INSERT, SELECT, UPDATE
svc_value_delay DELETE, INSERT, SELECT, UPDATE
svc_value_deletion DELETE, INSERT, SELECT, UPDATE
svc_value_hour DELETE, INSERT, SELECT, UPDATE
svc_value_import DELETE, INSERT, SELECT, UPDATE
svc_value_import_series DELETE, INSERT, SELECT, UPDATE
svc_value_refusal DELETE, INSERT, SELECT, UPDATE
svc_waiting_endpoint DELETE, INSERT, SELECT, UPDATE

-- functions
svc_actor_source()
svc_change_diff(before jsonb, after jsonb, hidden text[])
svc_change_name(facts jsonb)
svc_count_rows()
svc_current_tenant()
svc_device_version(tenant bigint)
svc_drop_feed(tenant bigint, oldest timestamp with time zone, kept bigint, batch bigint)
svc_feed_action()
svc_feed_add(tenant bigint, kind text, what text, ref text, device bigint, action uuid, at timestamp with time zone)
svc_feed_alarm()
svc_feed_call()
svc_feed_command()
svc_feed_device()
svc_is_tenant_free()
svc_keep_names(who bigint)
svc_limit_attributes(ext jsonb)
svc_log_change()
svc_log_membership()
svc_maintain_partitions(at timestamp with time zone) security definer
svc_name_order(name text)
svc_name_version(tenant bigint)
svc_names_changed()
svc_order_feed(tenant bigint)
svc_protect(IN target regclass)
svc_raise_group_version() security definer
svc_raise_limit_version() security definer
svc_raise_version() security definer
svc_refuse_change()
svc_require_device_version(tenant bigint, version text)
svc_require_name_version(tenant bigint, version text)
svc_require_version(tenant bigint, version text)
svc_reserve_budget(tenant bigint, subjects jsonb, tokens numeric, costs jsonb, at timestamp with time zone, zone text, for_real boolean)
svc_settle_budget(tenant bigint, held jsonb, tokens numeric, costs jsonb)
svc_tenants_of(owner text, facts jsonb)
svc_version(tenant bigint)
svc_wake_readers()
