import { Sandbox } from 'sandglass'

/** Puts a page into the machine, serves it there, and fetches it from here. */
export async function servePage(box: Sandbox, html: string): Promise<string> {
  await box.files.write('site/index.html', html)
  for (const { name, size } of await Array.fromAsync(box.files.list('site'))) console.log(name, size)
  await box.run('cd site && setsid python3 -m http.server 8000 >/dev/null 2>&1 &')
  await box.run('until (echo > /dev/tcp/127.0.0.1/8000) 2>/dev/null; do sleep 0.1; done', { check: true })
  await using port = await box.ports.open(8000)
  const response = await port.fetch('/')
  return response.text()
}

if (import.meta.main) {
  await using box = await Sandbox.create()
  console.log(await servePage(box, '<h1>Served from a sandbox</h1>'))
}
