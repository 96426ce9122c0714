import { readFile } from 'node:fs/promises'
import { waitFor } from '@sandglass/machines/testing'
import type { Sandbox } from 'e2b'

const script = new URL('../../../../modules/mappings/testing/guest.py', import.meta.url)

/** Starts the server with which mappings are tested, on a port of a sandbox. */
export async function startGuestServer(sandbox: Sandbox, port: number): Promise<void> {
  await sandbox.files.write('guest.py', await readFile(script, 'utf8'))
  let isListening = false
  await sandbox.commands.run(`python3 guest.py ${port}`, {
    background: true,
    timeoutMs: 0,
    onStdout: text => {
      isListening ||= text.includes('listening')
    },
  })
  await waitFor(() => isListening)
}
