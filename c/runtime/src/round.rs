//! Functions of the library of numbers that a compiler calls on its own account, for
//! instructions that the processor may not have. A replay has no such library.
//!
//! They are written without the methods of Rust that do the same: those become calls of
//! these functions.

macro_rules! rounding {
    ($float:ty, $int:ty, $bits:literal, $floor:ident, $ceil:ident, $trunc:ident, $rint:ident,
     $nearbyint:ident, $round:ident, $roundeven:ident, $fmin:ident, $fmax:ident) => {
        #[unsafe(no_mangle)]
        extern "C" fn $trunc(x: $float) -> $float {
            // Larger ones have nothing behind the point, and some are no numbers.
            let large = (1 as $int) << $bits;
            if !(x > -(large as $float) && x < large as $float) {
                return x;
            }
            signed((x as $int) as $float, x)
        }

        #[unsafe(no_mangle)]
        extern "C" fn $floor(x: $float) -> $float {
            let whole = $trunc(x);
            signed(if whole > x { whole - 1.0 } else { whole }, x)
        }

        #[unsafe(no_mangle)]
        extern "C" fn $ceil(x: $float) -> $float {
            let whole = $trunc(x);
            signed(if whole < x { whole + 1.0 } else { whole }, x)
        }

        /// To the nearest, and from the middle to the even one; no program here asks the
        /// processor for another way.
        #[unsafe(no_mangle)]
        extern "C" fn $rint(x: $float) -> $float {
            let large = ((1 as $int) << $bits) as $float;
            if !(x > -large && x < large) {
                return x;
            }
            // What is behind the point does not fit beside such a number.
            let shift = if x < 0.0 { -large } else { large };
            signed(core::hint::black_box(x + shift) - shift, x)
        }

        #[unsafe(no_mangle)]
        extern "C" fn $nearbyint(x: $float) -> $float {
            $rint(x)
        }

        #[unsafe(no_mangle)]
        extern "C" fn $roundeven(x: $float) -> $float {
            $rint(x)
        }

        /// To the nearest, and from the middle away from zero.
        #[unsafe(no_mangle)]
        extern "C" fn $round(x: $float) -> $float {
            let whole = $trunc(x);
            let rest = x - whole;
            if rest >= 0.5 {
                whole + 1.0
            } else if rest <= -0.5 {
                whole - 1.0
            } else {
                whole
            }
        }

        #[unsafe(no_mangle)]
        extern "C" fn $fmin(x: $float, y: $float) -> $float {
            if y != y || x < y { x } else { y }
        }

        #[unsafe(no_mangle)]
        extern "C" fn $fmax(x: $float, y: $float) -> $float {
            if y != y || x > y { x } else { y }
        }
    };
}

trait Signed: Copy {
    fn like(self, other: Self) -> Self;
}

impl Signed for f64 {
    fn like(self, other: Self) -> Self {
        let sign = 1 << 63;
        Self::from_bits(self.to_bits() & !sign | other.to_bits() & sign)
    }
}

impl Signed for f32 {
    fn like(self, other: Self) -> Self {
        let sign = 1 << 31;
        Self::from_bits(self.to_bits() & !sign | other.to_bits() & sign)
    }
}

/// A zero keeps the sign of what it was made of.
fn signed<F: Signed>(x: F, like: F) -> F {
    x.like(like)
}

rounding!(
    f64, i64, 52, floor, ceil, trunc, rint, nearbyint, round, roundeven, fmin, fmax
);
rounding!(
    f32, i32, 23, floorf, ceilf, truncf, rintf, nearbyintf, roundf, roundevenf, fminf, fmaxf
);
