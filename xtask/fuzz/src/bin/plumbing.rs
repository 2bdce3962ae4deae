//! Proves that fuzzing works here, over a parser of the standard library:
//! what `Ipv6Addr` parses, it prints in a form that parses to the same address.
#![cfg_attr(fuzzing, no_main)]

use std::net::Ipv6Addr;

reprise_fuzz::target!(|data| {
    if let Ok(text) = str::from_utf8(data)
        && let Ok(address) = text.parse::<Ipv6Addr>()
    {
        assert_eq!(address.to_string().parse(), Ok(address));
    }
});
