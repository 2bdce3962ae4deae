//! The instruction set, as one table: opcode, name, operand format, effect.
//!
//! The effect is what an instruction pops and pushes, as `pops>pushes` with
//! `I` int, `J` long, `F` float, `D` double, `A` reference, `N` null; the
//! top of the stack is on the right. An empty effect means that it depends on
//! operands or on what is on the stack; [`crate::flow`] spells those out.

/// How the operands of an instruction are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// None.
    Plain,
    /// `i1` value.
    Byte,
    /// `i2` value.
    Short,
    /// `u1` slot, `u2` after `wide`.
    Local,
    /// `u1` slot and `i1` amount, `u2` and `i2` after `wide`.
    Increment,
    /// `u1` constant.
    Ldc,
    /// `u2` constant.
    Pool,
    /// `i2` distance.
    Jump,
    /// `i4` distance.
    JumpWide,
    /// Padding, default, low, high, distances.
    TableSwitch,
    /// Padding, default, count, pairs.
    LookupSwitch,
    /// `u2` constant, `u1` slots, zero.
    InvokeInterface,
    /// `u2` constant, two zeros.
    InvokeDynamic,
    /// `u1` element type.
    NewArray,
    /// `u2` constant, `u1` dimensions.
    MultiNewArray,
    /// The next instruction has wide operands.
    Wide,
}

macro_rules! opcodes {
    ($($code:literal $name:ident $text:literal $format:ident $effect:literal)*) => {
        $(
            #[doc = concat!("`", $text, "`")]
            pub const $name: u8 = $code;
        )*

        /// The mnemonic.
        pub fn name(opcode: u8) -> Option<&'static str> {
            match opcode {
                $($code => Some($text),)*
                _ => None,
            }
        }

        /// The opcode of a mnemonic.
        pub fn by_name(name: &str) -> Option<u8> {
            match name {
                $($text => Some($code),)*
                _ => None,
            }
        }

        pub(crate) fn format(opcode: u8) -> Option<Format> {
            match opcode {
                $($code => Some(Format::$format),)*
                _ => None,
            }
        }

        pub(crate) fn effect(opcode: u8) -> &'static str {
            match opcode {
                $($code => $effect,)*
                _ => "",
            }
        }
    };
}

/// Whether control can go on to the next instruction. `jsr` counts: its
/// subroutine returns there.
pub fn falls_through(opcode: u8) -> bool {
    !matches!(
        opcode,
        GOTO | GOTO_W | RET | TABLESWITCH | LOOKUPSWITCH | IRETURN..=RETURN | ATHROW
    )
}

/// Whether the instruction returns from the method normally.
pub fn is_return(opcode: u8) -> bool {
    matches!(opcode, IRETURN..=RETURN)
}

/// The conditional jump that is taken exactly when this one is not.
pub(crate) fn inverted(opcode: u8) -> Option<u8> {
    match opcode {
        IFEQ..=IF_ACMPNE => Some((opcode.wrapping_sub(1) ^ 1).wrapping_add(1)),
        IFNULL => Some(IFNONNULL),
        IFNONNULL => Some(IFNULL),
        _ => None,
    }
}

opcodes! {
    0 NOP "nop" Plain ">"
    1 ACONST_NULL "aconst_null" Plain ">N"
    2 ICONST_M1 "iconst_m1" Plain ">I"
    3 ICONST_0 "iconst_0" Plain ">I"
    4 ICONST_1 "iconst_1" Plain ">I"
    5 ICONST_2 "iconst_2" Plain ">I"
    6 ICONST_3 "iconst_3" Plain ">I"
    7 ICONST_4 "iconst_4" Plain ">I"
    8 ICONST_5 "iconst_5" Plain ">I"
    9 LCONST_0 "lconst_0" Plain ">J"
    10 LCONST_1 "lconst_1" Plain ">J"
    11 FCONST_0 "fconst_0" Plain ">F"
    12 FCONST_1 "fconst_1" Plain ">F"
    13 FCONST_2 "fconst_2" Plain ">F"
    14 DCONST_0 "dconst_0" Plain ">D"
    15 DCONST_1 "dconst_1" Plain ">D"
    16 BIPUSH "bipush" Byte ">I"
    17 SIPUSH "sipush" Short ">I"
    18 LDC "ldc" Ldc ""
    19 LDC_W "ldc_w" Pool ""
    20 LDC2_W "ldc2_w" Pool ""
    21 ILOAD "iload" Local ">I"
    22 LLOAD "lload" Local ">J"
    23 FLOAD "fload" Local ">F"
    24 DLOAD "dload" Local ">D"
    25 ALOAD "aload" Local ""
    26 ILOAD_0 "iload_0" Plain ">I"
    27 ILOAD_1 "iload_1" Plain ">I"
    28 ILOAD_2 "iload_2" Plain ">I"
    29 ILOAD_3 "iload_3" Plain ">I"
    30 LLOAD_0 "lload_0" Plain ">J"
    31 LLOAD_1 "lload_1" Plain ">J"
    32 LLOAD_2 "lload_2" Plain ">J"
    33 LLOAD_3 "lload_3" Plain ">J"
    34 FLOAD_0 "fload_0" Plain ">F"
    35 FLOAD_1 "fload_1" Plain ">F"
    36 FLOAD_2 "fload_2" Plain ">F"
    37 FLOAD_3 "fload_3" Plain ">F"
    38 DLOAD_0 "dload_0" Plain ">D"
    39 DLOAD_1 "dload_1" Plain ">D"
    40 DLOAD_2 "dload_2" Plain ">D"
    41 DLOAD_3 "dload_3" Plain ">D"
    42 ALOAD_0 "aload_0" Plain ""
    43 ALOAD_1 "aload_1" Plain ""
    44 ALOAD_2 "aload_2" Plain ""
    45 ALOAD_3 "aload_3" Plain ""
    46 IALOAD "iaload" Plain "AI>I"
    47 LALOAD "laload" Plain "AI>J"
    48 FALOAD "faload" Plain "AI>F"
    49 DALOAD "daload" Plain "AI>D"
    50 AALOAD "aaload" Plain ""
    51 BALOAD "baload" Plain "AI>I"
    52 CALOAD "caload" Plain "AI>I"
    53 SALOAD "saload" Plain "AI>I"
    54 ISTORE "istore" Local "I>"
    55 LSTORE "lstore" Local "J>"
    56 FSTORE "fstore" Local "F>"
    57 DSTORE "dstore" Local "D>"
    58 ASTORE "astore" Local "A>"
    59 ISTORE_0 "istore_0" Plain "I>"
    60 ISTORE_1 "istore_1" Plain "I>"
    61 ISTORE_2 "istore_2" Plain "I>"
    62 ISTORE_3 "istore_3" Plain "I>"
    63 LSTORE_0 "lstore_0" Plain "J>"
    64 LSTORE_1 "lstore_1" Plain "J>"
    65 LSTORE_2 "lstore_2" Plain "J>"
    66 LSTORE_3 "lstore_3" Plain "J>"
    67 FSTORE_0 "fstore_0" Plain "F>"
    68 FSTORE_1 "fstore_1" Plain "F>"
    69 FSTORE_2 "fstore_2" Plain "F>"
    70 FSTORE_3 "fstore_3" Plain "F>"
    71 DSTORE_0 "dstore_0" Plain "D>"
    72 DSTORE_1 "dstore_1" Plain "D>"
    73 DSTORE_2 "dstore_2" Plain "D>"
    74 DSTORE_3 "dstore_3" Plain "D>"
    75 ASTORE_0 "astore_0" Plain "A>"
    76 ASTORE_1 "astore_1" Plain "A>"
    77 ASTORE_2 "astore_2" Plain "A>"
    78 ASTORE_3 "astore_3" Plain "A>"
    79 IASTORE "iastore" Plain "AII>"
    80 LASTORE "lastore" Plain "AIJ>"
    81 FASTORE "fastore" Plain "AIF>"
    82 DASTORE "dastore" Plain "AID>"
    83 AASTORE "aastore" Plain "AIA>"
    84 BASTORE "bastore" Plain "AII>"
    85 CASTORE "castore" Plain "AII>"
    86 SASTORE "sastore" Plain "AII>"
    87 POP "pop" Plain ""
    88 POP2 "pop2" Plain ""
    89 DUP "dup" Plain ""
    90 DUP_X1 "dup_x1" Plain ""
    91 DUP_X2 "dup_x2" Plain ""
    92 DUP2 "dup2" Plain ""
    93 DUP2_X1 "dup2_x1" Plain ""
    94 DUP2_X2 "dup2_x2" Plain ""
    95 SWAP "swap" Plain ""
    96 IADD "iadd" Plain "II>I"
    97 LADD "ladd" Plain "JJ>J"
    98 FADD "fadd" Plain "FF>F"
    99 DADD "dadd" Plain "DD>D"
    100 ISUB "isub" Plain "II>I"
    101 LSUB "lsub" Plain "JJ>J"
    102 FSUB "fsub" Plain "FF>F"
    103 DSUB "dsub" Plain "DD>D"
    104 IMUL "imul" Plain "II>I"
    105 LMUL "lmul" Plain "JJ>J"
    106 FMUL "fmul" Plain "FF>F"
    107 DMUL "dmul" Plain "DD>D"
    108 IDIV "idiv" Plain "II>I"
    109 LDIV "ldiv" Plain "JJ>J"
    110 FDIV "fdiv" Plain "FF>F"
    111 DDIV "ddiv" Plain "DD>D"
    112 IREM "irem" Plain "II>I"
    113 LREM "lrem" Plain "JJ>J"
    114 FREM "frem" Plain "FF>F"
    115 DREM "drem" Plain "DD>D"
    116 INEG "ineg" Plain "I>I"
    117 LNEG "lneg" Plain "J>J"
    118 FNEG "fneg" Plain "F>F"
    119 DNEG "dneg" Plain "D>D"
    120 ISHL "ishl" Plain "II>I"
    121 LSHL "lshl" Plain "JI>J"
    122 ISHR "ishr" Plain "II>I"
    123 LSHR "lshr" Plain "JI>J"
    124 IUSHR "iushr" Plain "II>I"
    125 LUSHR "lushr" Plain "JI>J"
    126 IAND "iand" Plain "II>I"
    127 LAND "land" Plain "JJ>J"
    128 IOR "ior" Plain "II>I"
    129 LOR "lor" Plain "JJ>J"
    130 IXOR "ixor" Plain "II>I"
    131 LXOR "lxor" Plain "JJ>J"
    132 IINC "iinc" Increment ">"
    133 I2L "i2l" Plain "I>J"
    134 I2F "i2f" Plain "I>F"
    135 I2D "i2d" Plain "I>D"
    136 L2I "l2i" Plain "J>I"
    137 L2F "l2f" Plain "J>F"
    138 L2D "l2d" Plain "J>D"
    139 F2I "f2i" Plain "F>I"
    140 F2L "f2l" Plain "F>J"
    141 F2D "f2d" Plain "F>D"
    142 D2I "d2i" Plain "D>I"
    143 D2L "d2l" Plain "D>J"
    144 D2F "d2f" Plain "D>F"
    145 I2B "i2b" Plain "I>I"
    146 I2C "i2c" Plain "I>I"
    147 I2S "i2s" Plain "I>I"
    148 LCMP "lcmp" Plain "JJ>I"
    149 FCMPL "fcmpl" Plain "FF>I"
    150 FCMPG "fcmpg" Plain "FF>I"
    151 DCMPL "dcmpl" Plain "DD>I"
    152 DCMPG "dcmpg" Plain "DD>I"
    153 IFEQ "ifeq" Jump "I>"
    154 IFNE "ifne" Jump "I>"
    155 IFLT "iflt" Jump "I>"
    156 IFGE "ifge" Jump "I>"
    157 IFGT "ifgt" Jump "I>"
    158 IFLE "ifle" Jump "I>"
    159 IF_ICMPEQ "if_icmpeq" Jump "II>"
    160 IF_ICMPNE "if_icmpne" Jump "II>"
    161 IF_ICMPLT "if_icmplt" Jump "II>"
    162 IF_ICMPGE "if_icmpge" Jump "II>"
    163 IF_ICMPGT "if_icmpgt" Jump "II>"
    164 IF_ICMPLE "if_icmple" Jump "II>"
    165 IF_ACMPEQ "if_acmpeq" Jump "AA>"
    166 IF_ACMPNE "if_acmpne" Jump "AA>"
    167 GOTO "goto" Jump ">"
    168 JSR "jsr" Jump ""
    169 RET "ret" Local ">"
    170 TABLESWITCH "tableswitch" TableSwitch "I>"
    171 LOOKUPSWITCH "lookupswitch" LookupSwitch "I>"
    172 IRETURN "ireturn" Plain "I>"
    173 LRETURN "lreturn" Plain "J>"
    174 FRETURN "freturn" Plain "F>"
    175 DRETURN "dreturn" Plain "D>"
    176 ARETURN "areturn" Plain "A>"
    177 RETURN "return" Plain ">"
    178 GETSTATIC "getstatic" Pool ""
    179 PUTSTATIC "putstatic" Pool ""
    180 GETFIELD "getfield" Pool ""
    181 PUTFIELD "putfield" Pool ""
    182 INVOKEVIRTUAL "invokevirtual" Pool ""
    183 INVOKESPECIAL "invokespecial" Pool ""
    184 INVOKESTATIC "invokestatic" Pool ""
    185 INVOKEINTERFACE "invokeinterface" InvokeInterface ""
    186 INVOKEDYNAMIC "invokedynamic" InvokeDynamic ""
    187 NEW "new" Pool ""
    188 NEWARRAY "newarray" NewArray ""
    189 ANEWARRAY "anewarray" Pool ""
    190 ARRAYLENGTH "arraylength" Plain "A>I"
    191 ATHROW "athrow" Plain "A>"
    192 CHECKCAST "checkcast" Pool ""
    193 INSTANCEOF "instanceof" Pool "A>I"
    194 MONITORENTER "monitorenter" Plain "A>"
    195 MONITOREXIT "monitorexit" Plain "A>"
    196 WIDE "wide" Wide ""
    197 MULTIANEWARRAY "multianewarray" MultiNewArray ""
    198 IFNULL "ifnull" Jump "A>"
    199 IFNONNULL "ifnonnull" Jump "A>"
    200 GOTO_W "goto_w" JumpWide ">"
    201 JSR_W "jsr_w" JumpWide ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversion_is_its_own_inverse() {
        for (a, b) in [
            (IFEQ, IFNE),
            (IFLT, IFGE),
            (IFGT, IFLE),
            (IF_ICMPEQ, IF_ICMPNE),
        ] {
            assert_eq!((inverted(a), inverted(b)), (Some(b), Some(a)));
        }
        for (a, b) in [
            (IF_ACMPEQ, IF_ACMPNE),
            (IF_ICMPGT, IF_ICMPLE),
            (IFNULL, IFNONNULL),
        ] {
            assert_eq!((inverted(a), inverted(b)), (Some(b), Some(a)));
        }
        assert_eq!(inverted(GOTO), None);
    }
}
