import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { MachineError } from '../../../contract/errors.ts'
import { connectIn } from './unix-socket.ts'

/** Listens again and again, and closes each time as soon as somebody has connected whom it has not accepted. */
const dyingListener = `
  use Socket;
  $| = 1;
  for (1 .. 50) {
    unlink 'dying';
    socket(my $listener, AF_UNIX, SOCK_STREAM, 0) or die $!;
    bind($listener, sockaddr_un('dying')) or die $!;
    listen($listener, 8) or die $!;
    print "listening\\n";
    my $watched = '';
    vec($watched, fileno($listener), 1) = 1;
    select($watched, undef, undef, 30);
    close $listener;
  }
`

describe('connections into a machine', () => {
  let folder: string
  let listener: ChildProcess

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandglass-socket-'))
    listener = spawn('perl', ['-e', dyingListener], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  })

  after(async () => {
    listener.kill()
    await rm(folder, { recursive: true, force: true })
  })

  it('do not crash the service when the machine ends before it accepts them', async () => {
    const { stdout } = listener
    assert.ok(stdout)
    const left = once(listener, 'exit')
    let refused = 0
    let closed = 0
    for await (const lines of stdout) {
      assert.equal(String(lines), 'listening\n')
      try {
        const socket = await connectIn(folder, 'dying')
        if (!socket.closed) await new Promise(resolve => socket.once('close', resolve))
        closed++
      } catch (error) {
        assert.ok(error instanceof MachineError && error.code === 'REFUSED', String(error))
        refused++
      }
    }
    await left
    assert.equal(refused + closed, 50)
  })

  it('are refused if the socket is missing, nobody listens, or it is a symlink', async () => {
    await symlink('dying', join(folder, 'pointer'))
    for (const [name, message] of [
      ['nothing', /does not exist$/],
      ['dying', /does not accept connections$/],
      ['pointer', /is not a socket$/],
    ] as const)
      await assert.rejects(connectIn(folder, name), { code: 'REFUSED', message })
  })

  it('are aborted with the caller’s reason', async () => {
    const reason = new Error('enough')
    await assert.rejects(connectIn(folder, 'dying', AbortSignal.abort(reason)), reason)
  })
})
