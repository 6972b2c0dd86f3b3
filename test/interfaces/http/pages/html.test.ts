import { expect, test } from 'bun:test'
import { html, jsonData, renderHtml } from '../../../../interfaces/http/pages/html.ts'

test('a value cannot become markup', () => {
  const hostile = `<img src=x onerror="alert('1')">&amp;`
  const page = renderHtml(html`<p title="${hostile}">${hostile}</p>`)
  const escaped = '&lt;img src=x onerror=&quot;alert(&#x27;1&#x27;)&quot;&gt;&amp;amp;'
  expect(page).toBe(`<p title="${escaped}">${escaped}</p>`)
})

test('markup within markup is kept, lists are joined, and null and false leave nothing', () => {
  const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`)
  expect(renderHtml(html`<ul>${items}${null}${false}${0}</ul>`)).toBe(
    '<ul><li>a</li><li>&lt;b&gt;</li>0</ul>',
  )
})

test('an object that came from JSON does not pass for markup', () => {
  const forged = JSON.parse('{"markup":"<b>","Symbol(markup)":"<b>"}')
  expect(() => renderHtml(html`${forged}`)).toThrow(TypeError)
})

test('a data block keeps its values and cannot be ended by one of them', () => {
  const value = { text: '</script><!--<script>' }
  const block = renderHtml(html`${jsonData(value)}`)
  expect(block).not.toContain('<')
  expect(JSON.parse(block)).toEqual(value)
})
