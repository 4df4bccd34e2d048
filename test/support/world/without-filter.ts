import * as nodes from 'kysely';

import type { Database } from '../../../src/db/connect.ts';

/** Replaces every `tenant_id = <value>` of a query by `true`, as if its author had forgotten it. */
class Forgetful extends nodes.OperationNodeTransformer {
  protected override transformBinaryOperation(
    node: nodes.BinaryOperationNode,
  ): nodes.BinaryOperationNode {
    const { leftOperand, operator, rightOperand } = node;
    const isFilter =
      nodes.OperatorNode.is(operator) &&
      operator.operator === '=' &&
      nodes.ReferenceNode.is(leftOperand) &&
      nodes.ColumnNode.is(leftOperand.column) &&
      ['tenantId', 'tenant_id'].includes(leftOperand.column.column.name) &&
      !nodes.ReferenceNode.is(rightOperand);
    if (!isFilter) return super.transformBinaryOperation(node);
    this.forgotten += 1;
    return nodes.BinaryOperationNode.create(
      nodes.ValueNode.createImmediate(1),
      nodes.OperatorNode.create('='),
      nodes.ValueNode.createImmediate(1),
    );
  }

  forgotten = 0;
}

/** Switches the application's own tenant filter off; only row-level security is left. */
export function withoutTenantFilter(db: Database): () => number {
  const forgetful = new Forgetful();
  const plugin: nodes.KyselyPlugin = {
    transformQuery: ({ node, queryId }) => forgetful.transformNode(node, queryId),
    transformResult: async ({ result }) => result,
  };
  db.queries = db.queries.withPlugin(plugin);
  return () => forgetful.forgotten;
}
