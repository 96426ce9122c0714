import { path, type SettingTable } from '../../setting-table.ts'

export const adbSettings = {
  SANDGLASS_PHONES: {
    about:
      'A JSON file with pools of phones that are reached over ADB (docs/phones.md). If it is not set, there are none.',
    schema: path,
    file: true,
  },
  SANDGLASS_SCRCPY_SERVER: {
    about:
      'The scrcpy-server file that is used to stream video from phones (docs/phones.md). Defaults to the one that a scrcpy package has installed. If there is none, phones are captured with screencap.',
    schema: path,
    file: true,
  },
} as const satisfies SettingTable
