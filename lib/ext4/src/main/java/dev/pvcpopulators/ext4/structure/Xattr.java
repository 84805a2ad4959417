package dev.pvcpopulators.ext4.structure;

/// An extended attribute in the form of the system calls, for example `user.mime_type`,
/// `security.capability` or `system.posix_acl_access`.
///
/// @param name the name including its namespace; the name is stored as UTF-8
public record Xattr(String name, Bytes value) {}
