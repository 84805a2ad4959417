package dev.pvcpopulators.iscsitarget.login;

/// What one side proves itself with.
///
/// @param name the CHAP_N that it sends
public record ChapIdentity(String name, ChapSecret secret) {}
