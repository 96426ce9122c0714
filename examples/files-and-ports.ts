import { Sandbox, type Tunnel } from 'sandglass'

/** Puts a page into the machine, serves it there, and fetches it from here. */
export async function servePage(box: Sandbox, html: string): Promise<string> {
  await box.files.write('site/index.html', html)
  for (const { name, size } of await Array.fromAsync(box.files.list('site'))) console.log(name, size)
  await box.run('cd site && setsid python3 -m http.server 8000 >/dev/null 2>&1 &')
  await box.run('until (echo > /dev/tcp/127.0.0.1/8000) 2>/dev/null; do sleep 0.1; done', { check: true })
  await using port = await box.ports.open(8000)
  console.log('For a browser:', port.link)
  return getThrough(await box.ports.connect(8000))
}

/** A connection to a port carries any protocol. */
async function getThrough({ readable, writable }: Tunnel): Promise<string> {
  const writer = writable.getWriter()
  await writer.write(new TextEncoder().encode('GET / HTTP/1.0\r\n\r\n'))
  const response = await new Response(readable).text()
  return response.slice(response.indexOf('\r\n\r\n') + 4)
}

if (import.meta.main) {
  await using box = await Sandbox.create()
  console.log(await servePage(box, '<h1>Served from a sandbox</h1>'))
}
