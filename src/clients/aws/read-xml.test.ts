import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readXml } from './read-xml.ts';

test('elements are fields, items are lists, and all else is text', () => {
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<Answer xmlns="http://ec2.amazonaws.com/doc/2016-11-15/" b = 'c'>
    <id>a &lt;&amp;&gt; b&quot;&apos;&#8364;&#x1F600;</id>
    <list><item><x>1</x></item><item>two</item></list >
    <one><item>1</item></one>
    <empty/><blank> </blank>
</Answer>
`;
  assert.deepEqual(readXml(text), {
    Answer: {
      id: 'a <&> b"\'€😀',
      list: [{ x: '1' }, 'two'],
      one: ['1'],
      empty: '',
      blank: '',
    },
  });
  assert.deepEqual(readXml('<a/>'), { a: '' });
});

for (const [what, text] of [
  ['nothing', ''],
  ['JSON', '{"a":1}'],
  ['an element that does not end', '<a><b>1</b>'],
  ['an element that ends as another one', '<a><b>1</a></b>'],
  ['an end without a beginning', '<a/></a>'],
  ['two documents', '<a/><b/>'],
  ['text around the document', '<a/> and more'],
  ['text between elements', '<a>and <b/></a>'],
  ['two fields of one name', '<a><b/><b/></a>'],
  ['items among fields', '<a><item/><b/><item/></a>'],
  ['a comment', '<a><!-- b --></a>'],
  ['entities of its own', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ['an entity that nobody knows', '<a>&constructor;</a>'],
  ['a character that there is not', '<a>&#x110000;</a>'],
  ['an ampersand', '<a>b & c</a>'],
  ['an attribute without quotes', '<a b=c/>'],
  ['a section of characters', '<a><![CDATA[b]]></a>'],
] as const)
  test(`${what} is refused, and not quoted`, () => {
    assert.throws(() => readXml(text), /^NoXml: no XML as it is expected, before character \d+$/);
  });
