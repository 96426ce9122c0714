import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { annexBSplitNalu } from '@yume-chan/scrcpy'
import type { ScreenSize } from '../../../contract/spec.ts'
import type { Capture } from '../../../screens/adb/screencap.ts'
import { installMissing } from '../../local/host/debian-packages.ts'

export interface EncodedVideo {
  readonly configuration: Buffer
  /** One unit per picture. */
  readonly units: readonly Buffer[]
}

const startCode = Buffer.of(0, 0, 0, 1)

/** Encodes pictures as a phone would, scaled to the size of the video. */
export async function encodeH264(pictures: readonly Capture[], video: ScreenSize): Promise<EncodedVideo> {
  await installMissing()
  const { width = 0, height = 0 } = pictures[0] ?? {}
  const input = `-f rawvideo -pix_fmt rgb0 -s ${width}x${height} -r 30 -i pipe:0`
  const codec =
    '-c:v libx264 -preset ultrafast -tune zerolatency -profile:v baseline -crf 20 -pix_fmt yuv420p -x264-params threads=1:scenecut=0'
  const args = `-hide_banner -loglevel error ${input} -vf scale=${video.width}:${video.height} ${codec} -f h264 pipe:1`
  const encoder = spawn('ffmpeg', args.split(' '), { stdio: ['pipe', 'pipe', 'inherit'] })
  encoder.stdin.end(Buffer.concat(pictures.map(({ pixels }) => pixels)))
  const [bytes] = await Promise.all([buffer(encoder.stdout), once(encoder, 'exit')])
  const nals = [...annexBSplitNalu(bytes)].map(nal => ({ type: (nal[0] ?? 0) & 31, nal }))
  const marked = (wanted: readonly number[]) =>
    nals.filter(({ type }) => wanted.includes(type)).map(({ nal }) => Buffer.concat([startCode, nal]))
  return { configuration: Buffer.concat(marked([7, 8])), units: marked([1, 5]) }
}

/** Builds a packet as a scrcpy server sends it. */
export function videoPacket(data: Buffer, isConfiguration = false): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt8(isConfiguration ? 128 : 0, 0)
  head.writeUInt32BE(data.length, 8)
  return Buffer.concat([head, data])
}
