/** Where a person watches a sandbox and takes over. */
export function liveViewLink(publicUrl: string, sandboxId: string): string {
  return `${publicUrl}/view?sandbox=${encodeURIComponent(sandboxId)}`
}
