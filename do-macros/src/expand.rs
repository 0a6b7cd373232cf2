//! What a sound function becomes: one function that makes the call, everything else inside it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Attribute, ReturnType, Type};

use crate::ast::{Function, Kind};
use crate::attr::Options;
use crate::duration::Milliseconds;
use crate::outer::{allowed, attributes};
use crate::place::{first_span, located, located_at};
use crate::rules::Plan;
use crate::shape::{argument, readable};

/// The whole output for a function whose signature is sound. With a mistake in the options it
/// is still complete, so that callers type-check.
pub(crate) fn expand(function: &Function, options: &Options, plan: &Plan) -> TokenStream {
    let expansion = Expansion { function, options, plan, private: private(options) };
    expansion.constructor()
}

/// The path of what the output may name.
pub(crate) fn private(options: &Options) -> TokenStream {
    match &options.crate_path {
        Some(path) => quote!(#path::__private),
        None => quote!(::do_runtime::__private),
    }
}

struct Expansion<'f> {
    function: &'f Function,
    options: &'f Options,
    plan: &'f Plan,
    private: TokenStream,
}

impl Expansion<'_> {
    fn constructor(&self) -> TokenStream {
        let p = &self.private;
        let Function { visibility, signature, .. } = self.function;
        let name = &signature.ident;
        let (outer, inner) = attributes(self.function);
        let allowed = allowed(self.function);
        let parameters = self.function.owned().map(|(parameter, ty)| {
            let variable = parameter.variable();
            quote!(#variable: #ty)
        });
        let variables = self.function.owned().map(|(parameter, _)| parameter.variable());
        let list = list(variables.map(|variable| variable.to_token_stream()));
        let returned = returned(self.function);
        let (call, make) = if self.plan.keyed_by_caller {
            (quote!(Unkeyed), quote!(unkeyed))
        } else {
            (quote!(Call), quote!(call))
        };
        let body = self.user_function(&inner);
        let described = self.described();
        let answer = self.answer();
        quote! {
            #allowed
            #(#outer)*
            #visibility fn #name(
                #(#parameters),*
            ) -> #p::#call<impl #p::Action<Return = #returned>> {
                struct __Action;
                #body
                #described
                #answer
                #p::inventory::submit! {
                    #p::Registration::new(<__Action as #p::Described>::definition)
                }
                #p::#make::<__Action>(#list)
            }
        }
    }

    /// The author's function, under its own name where its body does not see that name.
    fn user_function(&self, attributes: &[&Attribute]) -> TokenStream {
        let signature = &self.function.signature;
        let body = &self.function.body;
        quote! {
            impl __Action {
                #(#attributes)*
                #signature #body
            }
        }
    }

    fn described(&self) -> TokenStream {
        let p = &self.private;
        let types = list(self.function.owned().map(|(_, ty)| quote!(#ty)));
        let facts = self.facts();
        // With no owned parameters both lists are units, which nobody writes out.
        let is_empty = self.function.owned().next().is_none();
        let codecs = list(self.function.owned().map(|(_, ty)| quote!(#p::codec::<#ty>())));
        let codecs = (!is_empty).then_some(codecs);
        let identify = self.identify();
        let body = self.body();
        let check = self.check();
        let borrowed = self.borrowed();
        quote! {
            impl #p::Described for __Action {
                type Owned = #types;
                #facts
                fn definition() -> &'static #p::Definition {
                    static DEFINITION: #p::Definition = #p::Definition::of::<__Action>();
                    &DEFINITION
                }
                fn codecs() -> <Self::Owned as #p::List>::Codecs {
                    #codecs
                }
                #identify
                #body
                #check
                #borrowed
            }
        }
    }

    fn facts(&self) -> TokenStream {
        let p = &self.private;
        let name = &self.plan.name;
        let policy = self.policy();
        let parameters = self.function.owned().zip(&self.plan.wire_names);
        let parameters = parameters.map(|((parameter, ty), wire)| {
            let own = &parameter.name;
            let ty = readable(&ty.to_token_stream());
            quote!(#p::Parameter::new(#own, #wire, #ty))
        });
        let version = self.options.key_version.map(|version| quote!(.key_version(#version)));
        let key = self.plan.key.iter().map(|field| &field.name);
        let key = (!self.plan.key.is_empty()).then(|| quote!(.key_fields(&[#(#key),*])));
        let caller = self.plan.keyed_by_caller.then(|| quote!(.keyed_by_caller()));
        let checked = self.plan.check.is_some().then(|| quote!(.checked()));
        let connection = self
            .function
            .transactions()
            .next()
            .map(|(_, ty)| quote!(.connection(#p::Connection::of::<#ty>)));
        quote! {
            const FACTS: #p::Facts = #p::Facts::new(
                #name,
                #policy,
                &[#(#parameters),*],
                #p::Source::new(
                    #p::file!(),
                    #p::line!(),
                    #p::option_env!("CARGO_PKG_NAME"),
                    #p::option_env!("CARGO_PKG_VERSION"),
                ),
            ) #key #version #caller #checked #connection;
        }
    }

    fn policy(&self) -> TokenStream {
        let p = &self.private;
        let class = Ident::new(self.plan.class, Span::mixed_site());
        let Options { retry, timeout, keep, keep_failed, .. } = self.options;
        let lasting = |name: &str, duration: Option<Milliseconds>| {
            let name = format_ident!("{name}");
            duration.map(|Milliseconds(length)| quote!(.#name(#p::Duration::from_millis(#length))))
        };
        let within = lasting("within", retry.within);
        let max = lasting("max", retry.max);
        let attempts = retry.attempts.map(|attempts| quote!(.attempts(#attempts)));
        let changed = within.is_some() || max.is_some() || attempts.is_some();
        let retry = changed.then(|| quote!(.retry(#p::Retry::DEFAULT #within #max #attempts)));
        let timeout = lasting("timeout", *timeout);
        let keep = lasting("keep", *keep);
        let keep_failed = lasting("keep_failed", *keep_failed);
        let settle = lasting("settle", self.plan.settle);
        quote!(#p::Policy::new(#p::Class::#class) #retry #timeout #keep #keep_failed #settle)
    }

    fn identify(&self) -> TokenStream {
        let p = &self.private;
        let identity = Ident::new("identity", Span::mixed_site());
        let variables: Vec<_> =
            self.function.owned().map(|(parameter, _)| parameter.variable()).collect();
        let list_of_variables = list(variables.iter().map(ToTokens::to_token_stream));
        let fields = self.plan.key.iter().map(|field| {
            let (name, value) = (&field.name, &field.value);
            let (first, last) = field.place;
            let take = located_at(quote!(#p::Identity::key), first);
            // The same context as the author's tokens: the caret then spans all of them.
            let and = quote_spanned!(first=> &);
            if field.is_place {
                return quote!(#take(#identity, #name, #and #value););
            }
            let part = Ident::new("part", last);
            // Not a `let`: what the value borrows lives as long as the match.
            quote!(match #value { #part => #take(#identity, #name, #and #part) })
        });
        let codec_names: Vec<_> = (0..variables.len())
            .map(|place| {
                let used = self.plan.rest.iter().any(|rest| rest.place == place);
                let name = if used { format!("codec_{place}") } else { format!("_codec_{place}") };
                Ident::new(&name, Span::mixed_site())
            })
            .collect();
        let codecs = (!self.plan.rest.is_empty()).then(|| {
            let names = list(codec_names.iter().map(ToTokens::to_token_stream));
            quote!(let #names = <Self as #p::Described>::codecs();)
        });
        let parts = self.function.owned().enumerate().filter_map(|(place, (parameter, _))| {
            let rest = self.plan.rest.iter().find(|rest| rest.place == place)?;
            let (name, variable, codec) = (&parameter.name, &variables[place], &codec_names[place]);
            let method = if rest.counts { quote!(part) } else { quote!(ignored) };
            Some(quote!(#p::Identity::#method(#identity, #codec.part(#name, &#variable));))
        });
        let answer = (!variables.is_empty()).then_some(&list_of_variables);
        let identity = if variables.is_empty() { quote!(_) } else { quote!(#identity) };
        quote! {
            fn identify(
                #identity: &mut #p::Identity,
                #list_of_variables: Self::Owned,
            ) -> Self::Owned {
                #(#fields)*
                #codecs
                #(#parts)*
                #answer
            }
        }
    }

    fn body(&self) -> TokenStream {
        let p = &self.private;
        let name = &self.function.signature.ident;
        let (inputs, owned, let_arguments, arguments) = self.arguments();
        let here = Span::mixed_site().located_at(name.span());
        let future = quote_spanned!(here=> __Action::#name(#(#arguments),*));
        let run = located_at(quote!(#p::run), name.span());
        let end = self.end();
        quote! {
            fn body<'a>(
                #inputs: #p::Inputs<'a>,
                #owned: Self::Owned,
            ) -> #p::Result<#p::BodyFuture<'a>, #p::ParametersError> {
                #let_arguments
                #p::Result::Ok(#run(#future, |end| #end))
            }
        }
    }

    /// What the end of a body becomes. Each thing that a type may lack is told where that type is
    /// written.
    fn end(&self) -> TokenStream {
        let p = &self.private;
        let ty = written_return(self.function);
        let whole = ty.map(ToTokens::to_token_stream);
        let value = ty.map(|ty| argument(ty, 0).unwrap_or(ty).to_token_stream());
        let error = ty.map(|ty| argument(ty, 1).unwrap_or(ty).to_token_stream());
        let result = located(quote!(#p::result(end)), whole);
        let encoded = located(quote!(#p::encoded(&value)), value);
        let failure = located(quote!(#p::Probe::of(&error).failure(error)), error);
        quote! {
            match #result {
                #p::Result::Ok(value) => #p::Result::Ok(#encoded),
                #p::Result::Err(error) => #p::Result::Err(#failure),
            }
        }
    }

    fn check(&self) -> Option<TokenStream> {
        let p = &self.private;
        let path = self.plan.check.as_ref()?;
        let (inputs, owned, let_arguments, arguments) = self.arguments();
        let place = first_span(&path.to_token_stream()).unwrap_or_else(Span::mixed_site);
        let here = Span::mixed_site().located_at(place);
        let arguments = arguments.iter().map(|argument| {
            let mut argument = argument.clone();
            argument.set_span(here.resolved_at(argument.span()));
            argument
        });
        let question = quote_spanned!(here=> #path(#(#arguments),*));
        let end = quote! {
            |end| match #p::result(end) {
                #p::Result::Ok(found) => #p::Result::Ok(#p::found::<__Action, _>(found)),
                #p::Result::Err(error) => #p::Result::Err(#p::Probe::of(&error).failure(error)),
            }
        };
        let ask = quote!(#p::ask);
        let (ask, end) = (located_at(ask, place), located_at(end, place));
        let ask = quote_spanned!(here=> #ask(#question, #end));
        Some(quote! {
            fn check<'a>(
                #inputs: #p::Inputs<'a>,
                #owned: Self::Owned,
            ) -> #p::Result<#p::CheckFuture<'a>, #p::ParametersError> {
                #let_arguments
                #p::Result::Ok(#ask)
            }
        })
    }

    /// The inputs' variable, the list of owned variables, what fetches the borrowed ones, and all
    /// variables in the order of the function.
    fn arguments(&self) -> (TokenStream, TokenStream, TokenStream, Vec<Ident>) {
        let inputs = Ident::new("inputs", Span::mixed_site());
        let mut fetched = TokenStream::new();
        let mut owned = Vec::new();
        let mut arguments = Vec::new();
        for (place, parameter) in self.function.parameters.iter().enumerate() {
            let variable = Ident::new(&format!("argument_{place}"), Span::mixed_site());
            match &parameter.kind {
                Kind::Owned(_) => owned.push(variable.to_token_stream()),
                Kind::Provided(ty) => {
                    fetched.extend(quote!(let #variable = #inputs.borrow::<#ty>()?;));
                }
                Kind::Transaction(ty) => {
                    fetched.extend(quote!(let #variable = #inputs.connection::<#ty>()?;));
                }
            }
            arguments.push(variable);
        }
        let mutable = self.function.transactions().next().map(|_| quote!(mut));
        let unused = self.function.parameters.iter().all(|p| matches!(p.kind, Kind::Owned(_)));
        let inputs = if unused { quote!(_) } else { quote!(#mutable #inputs) };
        (inputs, list(owned.into_iter()), fetched, arguments)
    }

    fn borrowed(&self) -> Option<TokenStream> {
        let p = &self.private;
        self.function.provided().next()?;
        let dependencies = self.function.provided().map(|(parameter, ty)| {
            let name = &parameter.name;
            quote!(#p::Dependency::of::<#ty>(#name))
        });
        Some(quote! {
            fn borrowed() -> #p::Vec<#p::Dependency> {
                #p::Vec::from([#(#dependencies),*])
            }
        })
    }

    /// The trait that callers see. A value that cannot be stored is told where it is written.
    fn answer(&self) -> TokenStream {
        let p = &self.private;
        let returned = returned(self.function);
        quote! {
            impl #p::Action for __Action {
                type Return = #returned;
            }
        }
    }
}

/// `(a, (b, ()))`
fn list(items: impl Iterator<Item = TokenStream>) -> TokenStream {
    let items: Vec<_> = items.collect();
    items.into_iter().rev().fold(quote!(()), |rest, item| quote!((#item, #rest)))
}

fn written_return(function: &Function) -> Option<&Type> {
    match &function.signature.output {
        ReturnType::Type(_, ty) => Some(ty),
        ReturnType::Default => None,
    }
}

fn returned(function: &Function) -> TokenStream {
    written_return(function).map_or_else(|| quote!(()), ToTokens::to_token_stream)
}
