import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse, type Screen } from './index.ts'

const corner = '{"action": "left_click", "coordinate": [1931, 1091]}'

function clicked(screen: Screen | undefined) {
  const [action] = parse('qwen-2.5-vl', 'computer', corner, screen).actions
  return action?.type === 'mouse:click' ? [action.x, action.y] : undefined
}

test('without sizes, pixels are returned as the model wrote them', () => {
  assert.deepEqual(clicked(undefined), [
    { type: 'px', value: 1931 },
    { type: 'px', value: 1091 },
  ])
})

test('a pixel of the resized image is converted to the screen and stays inside it', () => {
  assert.deepEqual(clicked({ screenWidth: 1920, screenHeight: 1080 }), [
    { type: 'px', value: 1919 },
    { type: 'px', value: 1079 },
  ])
  assert.deepEqual(clicked({ screenWidth: 640, screenHeight: 360, imageWidth: 1280, imageHeight: 720 }), [
    { type: 'px', value: 639 },
    { type: 'px', value: 359 },
  ])
})

test('with only the size of the image, a pixel becomes a fraction of the image', () => {
  assert.deepEqual(clicked({ imageWidth: 1920, imageHeight: 1080 }), [
    { type: '/', numerator: 1931, denominator: 1932 },
    { type: '/', numerator: 1091, denominator: 1092 },
  ])
})

test('an invalid size is ignored', () => {
  for (const size of [0, -5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.deepEqual(clicked({ screenWidth: size, screenHeight: size })?.[0], { type: 'px', value: 1931 })
  }
})

test('a family that uses thousandths needs no size', () => {
  const { actions } = parse('ui-tars', 'computer', "Action: click(start_box='(10,20)')", {
    screenWidth: 50,
    screenHeight: 50,
  })
  assert.deepEqual(actions, [
    {
      type: 'mouse:click',
      x: { type: '/', numerator: 10, denominator: 1000 },
      y: { type: '/', numerator: 20, denominator: 1000 },
      button: 1,
    },
  ])
})
