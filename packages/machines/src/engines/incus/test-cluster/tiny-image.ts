import type { TestMember } from './member.ts'
import type { Json } from './request.ts'

const alias = 'tiny'

const script = `set -e
folder=$(mktemp -d)
cd "$folder"
mkdir -p rootfs/bin rootfs/sbin rootfs/dev rootfs/proc rootfs/sys rootfs/run rootfs/tmp rootfs/etc rootfs/root
cp /bin/busybox rootfs/bin/busybox
for name in sh sleep cat dd ls ip ps wget; do ln -s busybox rootfs/bin/$name; done
cat > rootfs/sbin/init <<'INIT'
#!/bin/sh
trap exit PWR TERM
while :; do sleep 3600 & wait; done
INIT
chmod 755 rootfs/sbin/init
printf 'architecture: %s\\ncreation_date: 1700000000\\n' "$(uname -m)" > metadata.yaml
tar -cf image.tar metadata.yaml rootfs
incus image import image.tar --alias ${alias} --quiet
rm -r "$folder"`

/** Adds an image that is little more than BusyBox, and starts in a moment. */
export async function addTinyImage(member: TestMember): Promise<void> {
  await member.run('sh', ['-c', script])
}

/** The body of a request for a running container of the tiny image, without network. */
export const tinyInstance = (name: string, diskMiB = 64): { readonly [key: string]: Json } => ({
  name,
  type: 'container',
  start: true,
  source: { type: 'image', alias },
  profiles: [],
  devices: { root: { type: 'disk', path: '/', pool: 'sandglass', size: `${diskMiB}MiB` } },
})
