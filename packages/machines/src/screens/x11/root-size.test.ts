import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TestDesktop } from '../../actions/test-desktop.ts'

let desktop: TestDesktop
before(async () => {
  desktop = await TestDesktop.start()
})
after(() => desktop?.close())

/** Shrinks the screen with RANDR 1.2, as a display tool does, after detaching it from all outputs. */
const resize = `
import socket, struct, sys
x = socket.socket(socket.AF_UNIX)
x.connect('/tmp/.X11-unix/X0')
x.sendall(struct.pack('<BxHHHHxx', 0x6c, 11, 0, 0, 0))
def take(n):
    data = b''
    while len(data) < n: data += x.recv(n - len(data))
    return data
setup = take(8)
body = take(4 * struct.unpack_from('<H', setup, 6)[0])
vendor, formats = struct.unpack_from('<H', body, 16)[0], body[21]
root = struct.unpack_from('<I', body, 32 + (vendor + 3) // 4 * 4 + 8 * formats)[0]
def ask(request):
    x.sendall(request)
    while True:
        head = take(32)
        if head[0] == 0: sys.exit(f'error {head[1]} of {head[10]}.{head[8]}')
        if head[0] == 1: return head + take(4 * struct.unpack_from('<I', head, 4)[0])
name = b'RANDR'
opcode = ask(struct.pack('<BxHHxx', 98, 4, len(name)) + name + b'\\0\\0\\0')[9]
ask(struct.pack('<BBHII', opcode, 0, 3, 1, 2))
found = ask(struct.pack('<BBHI', opcode, 8, 2, root))
stamp, configured, crtcs = struct.unpack_from('<IIH', found, 8)
for crtc in struct.unpack_from(f'<{crtcs}I', found, 32):
    ask(struct.pack('<BBHIIIhhIHxx', opcode, 21, 7, crtc, 0, configured, 0, 0, 0, 1))
x.sendall(struct.pack('<BBHIHHII', opcode, 7, 5, root, 640, 480, 200, 150))
ask(struct.pack('<BxH', 43, 1))
`

test('the current screen size is used, even by an action right after a change', async () => {
  const { screen } = desktop.machine
  await desktop.press('a')
  assert.deepEqual(await screen.size(), desktop.machine.screenSize)
  await desktop.machine.files.write('/tmp/resize.py', Buffer.from(resize))
  assert.equal(await desktop.shell('python3 /tmp/resize.py 2>&1'), '')
  await desktop.until(async () => (await screen.size()).width === 640)
  assert.deepEqual(await screen.size(), { width: 640, height: 480 })
  const px = (value: number) => ({ type: 'px', value }) as const
  await assert.rejects(desktop.perform({ type: 'mouse:move', x: px(700), y: px(10) }), /640x480/)
})
