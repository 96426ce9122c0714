/** Whether something is on a node that was chosen for a machine. */
export function isOnNode({ node_id: id }: { readonly node_id: string | null }, nodeId: string): boolean {
  return id === nodeId
}
