import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../engines/local/host/run-command.ts'
import { waitFor } from '../testing/wait-for.ts'
import { buildImage } from './build-image.ts'

/** Sleeps for a random time, by which the test recognises its own process. */
const vainly = `sleep ${30 + Math.random()}`

/** Stands in for mmdebstrap: it mounts something in the new system, and finishes only once the file `go` exists. */
const builder = `#!/bin/sh
for part; do case $part in *.part) break;; esac; done
mkdir -p "$part/proc"
mount -t tmpfs builder "$part/proc"
touch "$part/proc/mounted"
echo mounted
[ -e "$(dirname "$part")/go" ] || ${vainly}
umount "$part/proc"
`

function isRunning(command: string): Promise<boolean> {
  return runCommand('pgrep', ['-fx', command]).then(
    () => true,
    () => false,
  )
}

test('an aborted build leaves nothing behind, and the next one starts over', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-build-'))
  const path = process.env['PATH']
  try {
    await mkdir(join(folder, 'bin'))
    await writeFile(join(folder, 'bin/mmdebstrap'), builder)
    await chmod(join(folder, 'bin/mmdebstrap'), 0o755)
    process.env['PATH'] = `${folder}/bin:${path}`
    const imagesDir = join(folder, 'images')
    const abort = new AbortController()
    let wasRunning: Promise<void> | undefined
    const broken = buildImage('minimal', {
      imagesDir,
      signal: abort.signal,
      onProgress: line => {
        if (line !== 'mounted') return
        wasRunning = waitFor(() => isRunning(vainly))
        void wasRunning.finally(() => abort.abort())
      },
    })
    await assert.rejects(broken, { name: 'AbortError' })
    assert.ok(!(await readFile('/proc/self/mounts', 'utf8')).includes(folder))
    assert.ok(wasRunning)
    await wasRunning
    await waitFor(async () => !(await isRunning(vainly)))

    await writeFile(join(imagesDir, 'go'), '')
    const image = join(imagesDir, await buildImage('minimal', { imagesDir }))
    assert.ok(existsSync(image))
    assert.ok(!existsSync(`${image}.part`))
  } finally {
    process.env['PATH'] = path
    // A build that was still running would unmount this when it ends.
    await rm(folder, { recursive: true, force: true, maxRetries: 35, retryDelay: 1000 })
  }
})
