import { describe, expect, test } from 'vitest';
import { conditionHolds, resolveFunctions, type TemplateScope } from './intrinsics.ts';
import { readTemplate, type TemplateValue } from './read-template.ts';

const scope: TemplateScope = {
  parameters: new Map<string, TemplateValue>([
    ['Stage', 'test'],
    ['Names', ['a', 'b']],
  ]),
  mappings: { Units: { test: { Read: 1 }, prod: { Read: 10 } } },
  conditions: {
    IsProd: { 'Fn::Equals': [{ Ref: 'Stage' }, 'prod'] },
    IsNotProd: { 'Fn::Not': [{ Condition: 'IsProd' }] },
    Either: { 'Fn::Or': [{ Condition: 'IsProd' }, { Condition: 'IsNotProd' }] },
    Both: { 'Fn::And': [{ Condition: 'IsProd' }, { Condition: 'IsNotProd' }] },
    Circle: { Condition: 'Circle' },
  },
  pseudoParameters: new Map([['AWS::Region', 'us-east-1']]),
  resource: (logicalId, attribute) => (logicalId === 'Orders' ? `${attribute ?? 'name'}-of-orders` : undefined),
};

async function resolved(yaml: string): Promise<unknown> {
  return resolveFunctions(await readTemplate(yaml), scope, []);
}

async function refused(yaml: string): Promise<string> {
  return resolved(yaml).then(
    (value) => JSON.stringify(value),
    (error: unknown) => (error as Error).message,
  );
}

describe('DB-006 templates', () => {
  test('in YAML and in JSON are the same', async () => {
    const yaml = `
      Version: 2012-10-17
      Yes: true
      Texts: ["a", 'b', c]
      Anchor: &key { Name: x }
      Alias: *key
      Get: !GetAtt Orders.Arn
      GetList: !GetAtt [Orders, Arn]
      Text: |
        two
        lines
      Nested: !Join ['-', [!Ref Stage, !Sub '\${AWS::Region}']]`;
    const json = {
      Version: '2012-10-17',
      Yes: true,
      Texts: ['a', 'b', 'c'],
      Anchor: { Name: 'x' },
      Alias: { Name: 'x' },
      Get: { 'Fn::GetAtt': 'Orders.Arn' },
      GetList: { 'Fn::GetAtt': ['Orders', 'Arn'] },
      Text: 'two\nlines\n',
      Nested: { 'Fn::Join': ['-', [{ Ref: 'Stage' }, { 'Fn::Sub': '${AWS::Region}' }]] },
    };
    expect(await readTemplate(yaml)).toEqual(json);
    expect(await readTemplate(JSON.stringify(json))).toEqual(json);
  });

  test.each([
    ['!Ref Stage', 'test'],
    ['!Ref Orders', 'name-of-orders'],
    ['!GetAtt Orders.Arn', 'Arn-of-orders'],
    ["!Sub '${Stage}-${Orders}-${Orders.Arn}-${!Stage}'", 'test-name-of-orders-Arn-of-orders-${Stage}'],
    ["!Sub ['${x}-${Stage}', { x: !Ref AWS::Region }]", 'us-east-1-test'],
    ["!Join ['/', [a, !Ref Stage]]", 'a/test'],
    ["!Join ['+', !Ref Names]", 'a+b'],
    ['!Select [1, !Ref Names]', 'b'],
    ["!Select [0, !Split ['.', 'x.y']]", 'x'],
    ['!FindInMap [Units, !Ref Stage, Read]', 1],
    ['!FindInMap [Units, other, Read, { DefaultValue: 7 }]', 7],
    ['!If [IsProd, big, small]', 'small'],
    ['!If [Either, { a: !Ref Stage }, x]', { a: 'test' }],
    ['{ a: !If [IsProd, 1, !Ref AWS::NoValue], b: [!Ref AWS::NoValue, 2] }', { b: [2] }],
    ['!Base64 abc', 'YWJj'],
    ['!Length [1, 2]', 2],
    ['!ToJsonString { a: !Ref Stage }', '{"a":"test"}'],
    ['{ Condition: { StringEquals: { a: b } } }', { Condition: { StringEquals: { a: 'b' } } }],
  ])('%s', async (yaml, expected) => {
    expect(await resolved(yaml)).toEqual(expected);
  });

  test('conditions', () => {
    const names = ['IsProd', 'IsNotProd', 'Either', 'Both'];
    expect(names.filter((name) => conditionHolds(name, scope, []))).toEqual(['IsNotProd', 'Either']);
  });

  test.each([
    ['!Ref Nothing', 'Ref: Nothing cannot be resolved. Give it a value: --parameter Nothing=…'],
    ['!GetAtt Key.Arn', 'Fn::GetAtt: Key.Arn cannot be resolved. Give it a value: --parameter Key.Arn=…'],
    ['{ a: !ImportValue x }', 'a: Fn::ImportValue is not a supported function.'],
    ['!Select [9, [a]]', 'Fn::Select: There is no such element.'],
    ['!Join [a]', 'Fn::Join: This takes a list of 2.'],
    ['!FindInMap [Units, constructor, Read]', 'Fn::FindInMap: There is no Units.constructor.Read in Mappings.'],
    ['!If [Missing, 1, 2]', 'Fn::If: There is no condition Missing.'],
    ['!If [Circle, 1, 2]', 'Conditions.Circle.Condition: Condition Circle refers to itself.'],
    [
      'a: [1',
      'The file is neither JSON nor YAML: Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 6.',
    ],
    ['{"a": 1,}x', 'The file is neither JSON nor YAML: Unexpected scalar at node end at line 1, column 10.'],
  ])('%s: %s', async (yaml, expected) => {
    expect(await refused(yaml)).toBe(expected);
  });

  test('that would fill the memory are refused', async () => {
    const levels = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [${'*a' + at}, *a${at}]`);
    expect(await refused(['a0: &a0 [x, x]', ...levels].join('\n'))).toBe('The template is too large.');
  });
});
