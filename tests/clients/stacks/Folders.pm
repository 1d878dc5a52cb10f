# This tells the Perl stacks what to ask, and takes what they saw. See tests/clients/checks.py.
package Folders;
use strict;
use warnings;

sub get {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "$path: $!\n";
    local $/;
    return scalar <$file>;
}

sub put {
    my ($path, $text) = @_;
    open my $file, '>:raw', $path or die "$path: $!\n";
    print {$file} $text;
    close $file or die "$path: $!\n";
}

sub requests {
    my ($base, @folders) = @ARGV;
    return map {
        {
            folder => $_,
            method => get("$_/method"),
            url => $base . get("$_/path"),
            fields => [map { split /: /, $_, 2 } split /\n/, get("$_/fields")],
            body => -e "$_/body" ? get("$_/body") : undef,
        }
    } @folders;
}

# `@fields` has names and values in turn.
sub answered {
    my ($request, $status, $body, @fields) = @_;
    my $text = '';
    while (my ($name, $value) = splice @fields, 0, 2) {
        $text .= "$name: $value\n";
    }
    put("$request->{folder}/answer-body", $body);
    put("$request->{folder}/answer-fields", $text);
    put("$request->{folder}/answer-status", $status);
}

1;
