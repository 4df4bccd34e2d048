/** enable_flag of every table: 0 means enabled (reference/data-model.md). */
export const EnableFlag = { ENABLE: 0, DISABLE: 1 } as const;
