import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { waitFor } from '../testing/wait-for.ts'
import { files } from './conformance-files.ts'
import { screen } from './conformance-screen.ts'
import { fails, output, shell } from './conformance-tools.ts'
import type { Capabilities, Engine } from './engine.ts'
import type { MachineHandle } from './handle.ts'
import type { Machine } from './machine.ts'
import type { ExecSpec } from './process.ts'
import type { MachineSpec } from './spec.ts'
import type { Surroundings } from './surroundings.ts'

/** What the suite needs to run over an engine. */
export interface Subject {
  /** Opens the engine over the same state each time, as a service does at its start. */
  open(): Promise<Engine>
  /** A spec of a small machine with python3, under a fresh id. */
  spec(): MachineSpec
  /** What its machines are like. */
  readonly surroundings: Surroundings
  /** Shuts a machine down, as from inside. */
  shutDown(machine: Machine): Promise<void>
  /** Settles when the making of the machine with this id has begun, and long before it is done. */
  begun(id: string): Promise<void>
  /** Does what nobody can do from inside a machine that was shut down, so that a restart will find it. */
  powerOn(): Promise<void>
  /** Takes away everything that the suite made. */
  dispose(): Promise<void>
}

/** Of every process in the machine. */
const commandLines = async (machine: Machine) =>
  (await output(machine, shell('cat /proc/[0-9]*/cmdline | tr "\\0" " "'))).stdout

/** What every engine does, whatever its machines are made of. */
export function conformance(name: string, makeSubject: () => Promise<Subject>): void {
  describe(`${name} is an engine`, () => {
    let subject: Subject
    let engine: Engine
    let handle: MachineHandle
    let machine: Machine

    before(async () => {
      subject = await makeSubject()
      engine = await subject.open()
      handle = await engine.create(subject.spec())
      machine = await engine.open(handle)
    })
    after(async () => {
      machine?.close()
      await engine?.close()
      await subject?.dispose()
    })

    lifeCycle(() => ({ subject, engine, handle, machine }))
    processes(() => ({ machine, ...subject.surroundings }))
    files(() => ({ machine, ...subject.surroundings }))
    ports(() => ({ machine, ...subject.surroundings, ...engine.capabilities }))
    screen(() => ({ machine, ...subject.surroundings }))
  })
}

type Inside = Surroundings & { readonly machine: Machine }

interface Context {
  readonly subject: Subject
  readonly engine: Engine
  readonly handle: MachineHandle
  readonly machine: Machine
}

function lifeCycle(context: () => Context): void {
  it('lists a machine that it made, and says that it runs', async () => {
    const { engine, handle } = context()
    assert.deepEqual(await engine.inspect(handle), { status: 'running' })
    const listed = (await engine.list()).map(one => JSON.stringify(one.handle))
    assert.equal(listed.filter(one => one === JSON.stringify(handle)).length, 1)
  })

  it('tells of each machine whose it is, also to a service that was started later', async () => {
    const { subject, engine, handle: ownerless } = context()
    const owner = { installation: 'an-installation', node: 'a-node', number: 7 }
    const spec = { ...subject.spec(), owner }
    const handle = await engine.create(spec)
    const later = await subject.open()
    try {
      for (const one of [engine, later]) {
        const listed = await one.list()
        const found = (which: MachineHandle) => listed.find(({ handle }) => isDeepStrictEqual(handle, which))
        assert.deepEqual(found(handle), { id: spec.id, handle, owner, image: spec.image })
        assert.equal(found(ownerless)?.owner, undefined)
      }
    } finally {
      await later.close()
      await engine.destroy(handle)
    }
  })

  it('finds a machine again after a restart of the service, by a handle that was stored as JSON', async () => {
    const { subject, handle } = context()
    const later = await subject.open()
    try {
      const machine = await later.open(JSON.parse(JSON.stringify(handle)))
      assert.equal((await output(machine, shell('echo here'))).stdout, 'here\n')
      machine.close()
    } finally {
      await later.close()
    }
  })

  it('refuses a second machine of the same id, and leaves the first alone', async () => {
    const { subject, engine } = context()
    const spec = subject.spec()
    const handle = await engine.create(spec)
    await assert.rejects(engine.create(spec), fails('STATE'))
    assert.equal((await engine.inspect(handle)).status, 'running')
    await engine.destroy(handle)
  })

  it('keeps every file and ends every process at a restart', async () => {
    const { subject, engine } = context()
    const handle = await engine.create(subject.spec())
    const machine = await engine.open(handle)
    await machine.files.write('kept.txt', Buffer.from('kept'))
    const sleeper = await machine.exec({ executable: 'sleep', args: ['1000'], detached: true })
    await engine.restart(handle)
    await assert.rejects(sleeper.exited, fails('MACHINE_FAILED'))
    const again = await engine.open(handle)
    assert.equal(await text(await again.files.read('kept.txt')), 'kept')
    assert.doesNotMatch(await commandLines(again), /sleep 1000/)
    await engine.destroy(handle)
  })

  it('stops all work of a paused machine and resumes it where it was, or refuses where it says that it cannot', async () => {
    const { engine, handle, machine } = context()
    if (!engine.capabilities.pause) {
      await assert.rejects(engine.pause(handle), fails('STATE'))
      return
    }
    const counter = await machine.exec(shell('i=0; while :; do i=$((i+1)); echo $i; sleep 0.01; done'))
    const lines = counter.stdout[Symbol.asyncIterator]()
    await lines.next()
    await engine.pause(handle)
    await engine.pause(handle)
    assert.deepEqual(await engine.inspect(handle), { status: 'paused' })
    await assert.rejects(engine.open(handle), fails('STATE'))
    await assert.rejects(machine.exec(shell('true')), fails('STATE'))
    await assert.rejects(machine.files.list('/'), fails('STATE'))
    await assert.rejects(machine.dial('screen:rfb'), fails('STATE'))
    await engine.resume(handle)
    await engine.resume(handle)
    assert.deepEqual(await engine.inspect(handle), { status: 'running' })
    assert.ok(!(await lines.next()).done)
    counter.kill()
    assert.deepEqual(await counter.exited, { code: 137, signal: 9 })
  })

  it('destroys a machine, running, paused or gone, as often as it is asked', async () => {
    const { subject, engine } = context()
    const handle = await engine.create(subject.spec())
    if (engine.capabilities.pause) await engine.pause(handle)
    await engine.destroy(handle)
    await engine.destroy(handle)
    assert.deepEqual(await engine.inspect(handle), { status: 'missing' })
    await assert.rejects(engine.open(handle), fails('NOT_FOUND'))
    await assert.rejects(engine.restart(handle), fails('NOT_FOUND'))
    assert.ok(!(await engine.list()).some(one => JSON.stringify(one.handle) === JSON.stringify(handle)))
  })

  it('tells that a machine died by itself, and starts it again when asked', async () => {
    const { subject, engine } = context()
    const handle = await engine.create(subject.spec())
    const machine = await engine.open(handle)
    await machine.files.write('before.txt', Buffer.from('x'))
    await subject.shutDown(machine)
    const death = await machine.died
    assert.match(death.reason, subject.surroundings.shutDownReason)
    assert.equal(death.orderly, subject.surroundings.tellsOrder)
    assert.equal((await engine.inspect(handle)).status, 'stopped')
    await assert.rejects(engine.open(handle), fails('STATE'))
    await subject.powerOn()
    await engine.restart(handle)
    const again = await engine.open(handle)
    assert.equal((await again.files.stat('before.txt')).size, 1)
    await engine.destroy(handle)
  })

  it('leaves nothing of a machine whose making was aborted', async () => {
    const { subject, engine } = context()
    const before = await engine.list()
    const spec = subject.spec()
    const abort = new AbortController()
    const making = engine.create(spec, { signal: abort.signal })
    const rejected = assert.rejects(making)
    await subject.begun(spec.id)
    abort.abort()
    await rejected
    assert.deepEqual(await engine.list(), before)
    await engine.destroy(await engine.create(spec))
  })
}

function processes(context: () => Inside): void {
  const machine = () => context().machine

  it('runs a program as the user of the machine, in its home, on its display', async () => {
    const { user, home, display } = context()
    const { stdout } = await output(machine(), shell('id -un; pwd; echo $DISPLAY; echo $HOME'))
    assert.equal(stdout, `${user}\n${home}\n${display}\n${home}\n`)
  })

  it('passes arguments, environment and working directory as they are', async () => {
    const args = ['%s|', "it's", '$HOME', '', 'a b', '–ü', '\n']
    assert.equal((await output(machine(), { executable: 'printf', args })).stdout, "it's|$HOME||a b|–ü|\n|")
    const spec = { ...shell('echo $COLOUR; pwd'), env: { COLOUR: 'blue' }, workingDirectory: '/usr' }
    assert.equal((await output(machine(), spec)).stdout, 'blue\n/usr\n')
  })

  it('keeps stdout and stderr apart and gives the exit code', async () => {
    const target = context().hasPipes ? '> /dev/stderr' : '>&2'
    assert.deepEqual(await output(machine(), shell(`echo out; echo err ${target}; exit 3`)), {
      stdout: 'out\n',
      stderr: 'err\n',
      code: 3,
    })
  })

  it('carries binary input and output, and the end of the input', async () => {
    const sent = Buffer.alloc(
      3_000_000,
      Uint8Array.from({ length: 256 }, (_, i) => i),
    )
    const process = await machine().exec({ executable: 'cat' })
    process.stdin.end(sent)
    assert.ok(sent.equals(await buffer(process.stdout)))
    assert.deepEqual(await process.exited, { code: 0 })
  })

  it('names a program that is not there', async () => {
    await assert.rejects(machine().exec({ executable: 'no-such-program' }), fails('NOT_FOUND'))
  })

  it('ends the whole process group by a kill or an abort', async () => {
    const abort = new AbortController()
    const process = await machine().exec({ ...shell('sleep 987 & wait'), signal: abort.signal })
    abort.abort()
    assert.deepEqual(await process.exited, { code: 137, signal: 9 })
    // A process that was killed is there until it gets the processor once more.
    await waitFor(async () => !(await commandLines(machine())).includes('sleep 987'))
  })

  it("ends a program's streams with it, and leaves what it left running", async () => {
    const { stdout, stderr, code } = await output(machine(), shell('sleep 986 & echo $!'))
    assert.deepEqual([stderr, code], ['', 0])
    assert.match(await commandLines(machine()), /sleep 986/)
    await output(machine(), shell(`kill ${stdout}`))
  })

  it('ends everything that a whole program started, in whatever session, also after its own end', async () => {
    const stubborn = `trap '' HUP INT TERM; setsid sleep 985 & (setsid sh -c "sleep 984 & sleep 985" &) ; sleep 984 &`
    for (const rest of ['wait', 'exit 4'])
      for (const terminal of [undefined, { columns: 80, rows: 24 }]) {
        const spec = { ...shell(`${stubborn} echo up; ${rest}`), whole: true, ...(terminal && { terminal }) }
        const process = await machine().exec(spec)
        assert.match(String((await process.stdout[Symbol.asyncIterator]().next()).value), /up/)
        if (rest === 'exit 4') assert.deepEqual(await process.exited, { code: 4 })
        assert.match(await commandLines(machine()), /sleep 985/)
        process.kill()
        await process.gone
        assert.doesNotMatch(await commandLines(machine()), /sleep 98[45]/)
      }
  })

  it('leaves what a whole program left running when it is released, and ends one that still runs', async () => {
    const left = await machine().exec({ ...shell('setsid sleep 983 & echo $!'), whole: true })
    const pid = await text(left.stdout)
    await left.exited
    left.release()
    await left.gone
    assert.match(await commandLines(machine()), /sleep 983/)
    await output(machine(), shell(`kill ${pid}`))
    const running = await machine().exec({ ...shell('setsid sleep 982; true'), whole: true })
    running.release()
    while ((await commandLines(machine())).includes('sleep 982'));
  })

  it('tells which of program and folder cannot be used', async () => {
    const start = (spec: ExecSpec) => machine().exec({ workingDirectory: '/tmp', ...spec })
    const whole = { executable: 'true', whole: true, workingDirectory: '/no/where' }
    await assert.rejects(start(whole), /working directory .*No such file.*: \/no\/where/)
    await assert.rejects(start({ executable: '/etc/passwd' }), /program .*Permission denied: \/etc\/passwd/)
    await machine().files.write('/tmp/no-program', Buffer.from('nothing'), { mode: 0o755 })
    const nothing = { executable: '/tmp/no-program' }
    if (context().runsTextAsScript) assert.equal((await output(machine(), nothing)).code, 127)
    else await assert.rejects(start(nothing), fails('INVALID'))
  })

  it('delivers signals as a program expects them: by a kill, and by the keys of a terminal', async () => {
    for (const whole of [false, true]) {
      const killed = await machine().exec({ executable: 'sleep', args: ['981'], whole })
      killed.kill(15)
      assert.deepEqual(await killed.exited, { code: 143, signal: 15 })
      const terminal = { columns: 80, rows: 24 }
      const typed = await machine().exec({ ...shell('echo up; exec sleep 981'), terminal, whole })
      await typed.stdout[Symbol.asyncIterator]().next()
      typed.stdin.write('\x03')
      assert.deepEqual(await typed.exited, { code: 130, signal: 2 })
    }
  })

  it('takes the end of the input on a terminal as its end-of-file character', async () => {
    for (const typed of ['a line\n', 'no line', '']) {
      const process = await machine().exec({ executable: 'cat', terminal: { columns: 80, rows: 24 } })
      process.stdin.end(typed)
      assert.deepEqual(await process.exited, { code: 0 })
      assert.ok((await text(process.stdout)).includes(typed.trim()))
    }
  })

  it('tells the end of the input also to a shell in a terminal that was busy when it came', async () => {
    const terminal = { columns: 80, rows: 24 }
    const process = await machine().exec({ executable: 'bash', args: ['--norc'], terminal })
    let printed = ''
    process.stdin.write('echo as""leep; sleep 0.5; echo aw""ake\n')
    for await (const chunk of process.stdout.setEncoding('utf8')) {
      printed += chunk
      if (printed.includes('asleep')) process.stdin.end()
    }
    assert.match(printed, /awake/)
    assert.deepEqual(await process.exited, { code: 0 })
  })

  it('gives a terminal with its size, and resizes it', async () => {
    const script = 'trap "stty size; exit" WINCH; stty size; while :; do sleep 0.02; done'
    const process = await machine().exec({ ...shell(script), terminal: { columns: 100, rows: 30 } })
    let printed = ''
    for await (const chunk of process.stdout.setEncoding('utf8')) {
      printed += chunk
      if (printed === '30 100\r\n') process.resize({ columns: 120, rows: 40 })
    }
    assert.equal(printed, '30 100\r\n40 120\r\n')
    assert.deepEqual(await process.exited, { code: 0 })
  })

  it('runs many programs at once without mixing them', async () => {
    const numbers = Array.from({ length: 40 }, (_, i) => i)
    const outputs = await Promise.all(
      numbers.map(n => output(machine(), shell(`echo ${n}; cat /dev/null; echo ${n}`))),
    )
    assert.deepEqual(
      outputs.map(({ stdout }) => stdout),
      numbers.map(n => `${n}\n${n}\n`),
    )
  })
}

async function take(from: Duplex, length: number): Promise<Buffer> {
  const taken: Buffer[] = []
  for (let left = length; left > 0; ) {
    const piece: Buffer | null = from.read()
    if (piece) taken.push(piece)
    left -= piece?.length ?? 0
    if (!piece) await once(from, 'readable')
  }
  return Buffer.concat(taken)
}

const echoServer = (bind: string) =>
  `import socket; s=socket.socket(${bind}); s.listen(); print("up", flush=True); c,_=s.accept()\n` +
  'while d:=c.recv(65536): c.sendall(d)'

function ports(context: () => Inside & Capabilities): void {
  const machine = () => context().machine
  const cases = [
    [
      'a port that listens on the loopback only',
      'socket.AF_INET); s.bind(("127.0.0.1",7001)',
      'tcp:127.0.0.1:7001',
    ],
    ['a unix socket', 'socket.AF_UNIX); s.bind("/tmp/echo.sock"', 'unix:/tmp/echo.sock'],
  ] as const
  for (const [what, bind, endpoint] of cases) {
    it(`dials ${what}, and each half closes by itself where the engine says so`, async () => {
      const server = await machine().exec({ executable: 'python3', args: ['-c', echoServer(bind)] })
      const complaint = text(server.stderr)
      const { done } = await server.stdout[Symbol.asyncIterator]().next()
      assert.ok(!done, done ? `the server did not come up: ${await complaint}` : '')
      const connection = await machine().dial(endpoint)
      const sent = Buffer.alloc(1_000_000, 'echo')
      if (context().halfClose) {
        connection.end(sent)
        assert.ok(sent.equals(await buffer(connection)))
      } else {
        connection.write(sent)
        assert.ok(sent.equals(await take(connection, sent.length)))
        connection.end()
      }
      assert.deepEqual(await server.exited, { code: 0 })
    })
  }

  it('says when nothing listens, and when an endpoint is none', async () => {
    await assert.rejects(machine().dial('tcp:127.0.0.1:7999'), fails('REFUSED'))
    await assert.rejects(machine().dial('unix:/tmp/nobody'), fails('REFUSED'))
    await assert.rejects(machine().dial('tcp:example:80'), fails('INVALID'))
  })

  it('dials the screen, which greets as RFB where it is a desktop', async () => {
    if (!context().hasRfb) return assert.rejects(machine().dial('screen:rfb'), fails('INVALID'))
    const connection = await machine().dial('screen:rfb')
    const [greeting] = await connection.take(1).toArray()
    assert.match(String(greeting), /^RFB 003\.008\n/)
    connection.destroy()
  })
}
