/**
 * Node passes descriptors over a channel on which the other process can write anything, and throws where nobody can catch
 * it if that is not JSON. The process that did it harms only itself, so this one goes on. Any other error ends it.
 */
export function ignoreNonsense(tell: (line: string) => void): void {
  process.on('uncaughtException', error => {
    const isOfChannel = error instanceof SyntaxError && /child_process/.test(error.stack ?? '')
    tell(
      isOfChannel ? 'A process has sent nonsense to the host.' : `The host failed: ${error.stack ?? error}`,
    )
    if (!isOfChannel) process.exit(1)
  })
}
